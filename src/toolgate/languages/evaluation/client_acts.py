"""What a client's method deletes or sends, by its words, where no table describes the client: `client.delete_index(..)`,
`projects.delete(id)`, `servers.get(name).delete()`, `client.upload_file(path)`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_DELETING_VERBS = frozenset("delete destroy purge wipe terminate truncate deprovision obliterate del".split())
_ENDING_VERBS = frozenset(
    (
        *("archive", "deactivate", "suspend", "expunge", "refund", "ban", "kick", "revoke", "deregister"),
        *("mute", "silence", "snooze", "unpublish", "offboard", "trash", "disable", "pause"),
    )
)
"""Verbs that end a single object's use. One after another, they end everything that was listed."""
_CLOSED_STATES = ("closed", "archived", "deleted", "disabled", "suspended", "deprovisioned")
_CLOSING_VERBS = frozenset("close cancel resolve transition lock void reject expire merge".split())
_CLOSED_OBJECTS = frozenset(
    (
        *("issue", "ticket", "incident", "case", "alert", "order", "subscription", "invoice", "reservation", "booking", "pull"),
        *("merge", "discussion", "pr", "account", "user", "customer", "card", "payment", "appointment", "conversation"),
    )
)
"""What people work on, and what a closing verb ends for them: `close_issue`, `cancel_subscription`."""
_ENDED_STATES = frozenset(
    "archived in_trash intrash trashed deleted is_deleted isdeleted suspended cancel_at_period_end cancelatperiodend".split()
)
_WHOLE = frozenset("all every matching".split())
_ALL_OF_IT = frozenset("all everything".split())
_OBTAINING_VERBS = frozenset("get find retrieve list search init by id name from fetch load open select use lookup".split())
_KEPT_OBJECTS = frozenset(
    (
        *("index", "indexes", "indices", "collection", "project", "cluster", "instance", "server", "machine", "vm", "droplet"),
        *("volume", "bucket", "stack", "database", "keyspace", "namespace", "dataset", "repo", "repository", "repositories"),
        *("zone", "domain", "environment", "tenant", "deployment", "organization", "workspace", "backup", "snapshot", "topic"),
        *(
            "group",
            "container",
            "queue",
            "service",
            "app",
            "application",
            "registry",
            "registries",
            "loadbalancer",
            "vault",
            "site",
            "team",
            "stateful",
            "daemon",
            "ref",
            "spreadsheet",
            "release",
        ),
    )
)
"""What providers, forges and databases keep. Tasks, users and sessions are left out: an application deletes single ones daily."""
_DATA = frozenset(
    "object blob document row record entry item key message event job point vector version user customer file data table".split()
)
"""What a call deletes in whole that names it beside `all` or a condition: `delete_all_documents`, `deleteMatchingObjects`."""
_WAITING = frozenset("control queue queues mailbox".split())
"""Objects whose `purge` deletes everything that waits in them: `app.control.purge()` of Celery."""
_WEAK_VERBS = frozenset("remove empty clear".split())
_LARGE_OBJECTS = frozenset("bucket project cluster database repository repo stack namespace index keyspace volume".split())
"""Objects that are lost where a weaker verb is used, too: `remove_bucket`, `empty_bucket`."""
_HELD_AS_METHOD = _LARGE_OBJECTS - {"index"}
"""Objects that a method of their own name gives: `client.bucket(name).delete()`. An index's `delete` takes single records."""
_PROTECTIONS = frozenset("engine audit auth trail logging detector protection encryption mfa backups versioning".split())
"""Objects that a service loses, or is unprotected without, when they are disabled."""
_SENDING_VERBS = frozenset("send share attach add post".split())
_MESSAGE_VERBS = _SENDING_VERBS - {"attach", "add"} | frozenset("publish notify reply comment broadcast".split())
_MESSAGES = frozenset("message messages comment issue gist paste".split())
_FILE_NOUNS = frozenset("file files document attachment attachments".split())
_REVEALING_VERBS = frozenset("get access read fetch retrieve reveal load batch".split())
_SECRETS = frozenset("secret secrets password passwords credential credentials".split())
_ABOUT_SECRETS = frozenset("name names policy metadata id ids hash length count url uri path type versions".split())
_GRAPH_QUERY = re.compile(r" *(?:OPTIONAL +)?(?:MATCH|MERGE|CREATE) *\( *[\w:{][^;&|`\n]*;?")
"""One line that no shell can parse: a word, and a parenthesis with something in it."""
_DELETES_EVERY_NODE = re.compile(r"MATCH\s*\(\w*\)\s*(?:OPTIONAL\s+MATCH[^;]{0,200}?\s)?(?:DETACH\s+)?DELETE\b", re.IGNORECASE)
_FILE_NAME = re.compile(r"[^\s<>|*?\"'{}]{1,200}")
_SETTING_VERBS = frozenset("update edit patch modify put set create insert add upload".split())
_CHANGING_VERBS = _SETTING_VERBS - {"create", "insert", "add", "upload"}
_SWITCHING_VERBS = frozenset("disable remove suspend bypass clear delete unset".split())
_PUBLIC_SETTINGS: frozenset[tuple[str, object]] = frozenset(
    (
        *(("private", False), ("visibility", "public"), ("type", "anyone"), ("entity", "allUsers"), ("acl", "public-read")),
        *(("acl", "public-read-write"), ("predefinedacl", "publicRead"), ("publicaccess", "blob"), ("publicaccess", "container")),
    )
)
_GRANTING_VERBS = frozenset("create add grant attach assign put insert".split())
_names_rights = re.compile(
    r"(?:.*_)?(?:role_assignments?|(?:cluster_)?role_bindings?|(?:namespaced_)?role_binding|iam_policy_bindings?|directory_role_members?"
    r"|app_role_assignments?|collaborators?|org(?:anization)?_admins?|admin_roles?|owners?)"
).fullmatch
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORDS = re.compile(r"[a-z]+")


@lru_cache(4096)
def find_deleted_object(name: str, maker: str = "") -> str:
    """Returns what a method deletes at a service; empty if it deletes nothing that is kept. `maker`: the call that made the
    object whose method it is."""
    owner, _, method = name.rpartition(".")
    words = _split_words(method.removeprefix("begin_").removesuffix("_and_wait"))
    if words[:1] in (("batch",), ("bulk",)) and words[1:2] and words[1] in _DELETING_VERBS:
        return next(iter(words[2:]), "everything that is listed")
    if words[:1] == ("disable",) or words[-1:] == ("protection",):
        is_lost = words[:1] == ("disable",) or not (_DELETING_VERBS | _WEAK_VERBS).isdisjoint(words[:1])
        return next((word for word in words[1:] if word in _PROTECTIONS), "") if is_lost else ""
    if len(words) > 1 and words[1] in _DELETING_VERBS and _is_kept(words[0]):  # `queue_purge`, `repoDeleteBranch`
        named = [word for word in words[2:] if _is_kept(word) or word in ("branch", "tag")]
        return next(iter(named), "" if words[2:] else words[0])
    if not words or words[0] not in _DELETING_VERBS | _WEAK_VERBS:
        return ""
    if words == ("clear", "objects"):
        return "objects"
    if words[0] in _WEAK_VERBS:
        of_all = words[1:] in ((), ("objects",), ("documents",))
        if of_all and (held := _find_obtained_object(maker)) in _LARGE_OBJECTS:
            return held
        return next((word for word in words[1:2] if word.removesuffix("s") in _LARGE_OBJECTS), "")
    if words[0] == "obliterate" or (words == ("purge",) and owner.rpartition(".")[2] in _WAITING):
        return "everything"
    if len(words) > 2 and not _WHOLE.isdisjoint(words[1:-1]):
        return next((word for word in words[2:] if _is_kept(word) or word.removesuffix("s") in _DATA), "")
    if len(words) > 1 and not _ALL_OF_IT.issuperset(words[1:]):
        return next((word for word in words[1:] if _is_kept(word)), "")
    noun = (maker if owner == "?" else owner).rpartition(".")[2].removesuffix("[]")
    if _is_plural_of_kept(noun.removesuffix("Client")) or noun.startswith("dns"):
        return noun
    return _find_obtained_object(maker) if len(words) == 1 else ""


@lru_cache(4096)
def names_object(name: str) -> bool:
    """Returns whether a method names the kind of object that it deletes (`delete_instance`), so that a service needs the object's
    name as an argument, too."""
    words = _split_words(name.rpartition(".")[2])
    return len(words) > 1 and words[1] in _KEPT_OBJECTS


@lru_cache(4096)
def obtains_secret(name: str) -> bool:
    """Returns whether a method obtains secrets: `get_secret_value`, `list_namespaced_secret`, `client.secrets.get`."""
    owner, _, method = name.rpartition(".")
    first, *rest = _split_words(method.partition("_by_")[0].partition("By")[0]) or ("",)
    if not rest and first in (_REVEALING_VERBS - {"batch"}) | {"resolve"}:
        return owner.rpartition(".")[2] in ("secrets", "secret_versions", "secretVersions")
    if _SECRETS.isdisjoint(rest) or not _ABOUT_SECRETS.isdisjoint(rest):
        return False
    return first in _REVEALING_VERBS or (first == "list" and "secret" in rest)


def only_validates(settings: Iterable[tuple[str, object]]) -> bool:
    """Returns whether a call's settings ask the service to change nothing: `dry_run="All"`, `{validateOnly: true}`."""
    return any(
        key.lower().replace("_", "") in ("dryrun", "validateonly") and value in (True, "All", "dryrunall")
        for key, value in settings
    )


def begins_deletion(method: str) -> bool:
    """Returns whether a method's first word is one that deletes."""
    return not (_DELETING_VERBS | _WEAK_VERBS).isdisjoint(_split_words(method)[:1])


def makes_public(name: str, settings: Iterable[tuple[str, object]]) -> bool:
    """Returns whether a method makes an object of a service public, by its words or its settings: `bucket.make_public()`,
    `repos.update({private: false})`."""
    words = _split_words(name.rpartition(".")[2])
    if words[:2] == ("make", "public"):
        return True
    return not _SETTING_VERBS.isdisjoint(words[:1]) and any(opens_to_all(key, value) for key, value in settings)


def opens_to_all(key: str, value: object) -> bool:
    """Returns whether a setting makes an object public: `visibility = "public"`, `private = False`."""
    if not isinstance(value, str | bool):
        return False
    spelled = value.lower() if isinstance(value, str) else value
    return any((key.lower().replace("_", ""), each) in _PUBLIC_SETTINGS for each in (value, spelled))


@lru_cache(4096)
def grants_rights(name: str) -> bool:
    """Returns whether a method gives somebody rights at a service: `role_assignments.create`, `create_role_binding`."""
    owner, _, method = name.rpartition(".")
    words = _split_words(method.removeprefix("begin_"))
    nouns = "_".join((*_split_words(owner.rpartition(".")[2])[-2:], *words[1:]) if len(words) == 1 else words[1:])
    return not _GRANTING_VERBS.isdisjoint(words[:1]) and _names_rights(nouns) is not None


def deletes_item(name: str, settings: Iterable[tuple[str, object]] = ()) -> bool:
    """Returns whether a method deletes, or puts out of use, the object that it belongs to, or the one that it is given:
    `delete_user`, `conversations_archive`, `pages.update(archived=True)`."""
    settings = list(settings)
    if any(value is True and key.lower() in _ENDED_STATES for key, value in settings):
        return True
    owner, _, method = name.rpartition(".")
    words = _split_words(method)
    if not _CLOSING_VERBS.isdisjoint(words[:1]) and any(word.removesuffix("s") in _CLOSED_OBJECTS for word in words[1:2]):
        return True
    if not _CHANGING_VERBS.isdisjoint(words[:1]) and any(map(_is_closed_state, settings)):
        return True
    return not (_DELETING_VERBS | _ENDING_VERBS).isdisjoint((*words[:1], *words[1:2][: len(words) == 2])) or (
        owner.endswith("sftp") and words[:1] in (("remove",), ("rmdir",))
    )


def _is_closed_state(setting: tuple[str, object]) -> bool:
    key, value = setting
    return key.lower() in ("state", "status") and isinstance(value, str) and value.lower() in _CLOSED_STATES


def overwrites_ref(name: str, maker: str, settings: Iterable[tuple[str, object]]) -> bool:
    """Returns whether a method moves a branch or a tag by force: `git.updateRef({ref, sha, force: true})`, `ref.edit(sha,
    force=True)`."""
    owner, _, method = name.rpartition(".")
    words = {word for each in (method, owner.rpartition(".")[2], maker.rpartition(".")[2]) for word in _split_words(each)}
    named = list(settings)
    is_forced = any(key.lower() in ("force", "forced") and value is True for key, value in named)
    routes = any(isinstance(value, str) and "/git/refs/" in value for _, value in named)
    return is_forced and (routes or not {"ref", "refs", "reference"}.isdisjoint(words))


def changes_settings(name: str, maker: str = "") -> bool:
    """Returns whether a method gives an object that exists other settings: `update_instance`, `vaults.update`. A method that is
    a verb alone changes anything (`dict.update`), unless it belongs to what a service keeps."""
    owner, _, method = name.rpartition(".")
    words = _split_words(method)
    if len(words) == 1 and not _is_plural_of_kept((maker if owner == "?" else owner).rpartition(".")[2]):
        return False
    return not _CHANGING_VERBS.isdisjoint(words[:1])


def switches_off(method: str) -> bool:
    """Returns whether a method takes something away by its first word: `remove_protection`, `disableVersioning`."""
    return not _SWITCHING_VERBS.isdisjoint(_split_words(method)[:1])


def names_everybody(text: str) -> bool:
    """Returns whether a member of a policy stands for everybody."""
    return text in ("allUsers", "allAuthenticatedUsers")


def sets_policy(name: str) -> bool:
    """Returns whether a method gives an object a policy that says who may use it: `bucket.set_iam_policy(policy)`."""
    words = _split_words(name.rpartition(".")[2])
    return words[:1] == ("set",) and words[-1:] == ("policy",)


@lru_cache(4096)
def is_upload(name: str) -> bool:
    """Returns whether a method sends files that its arguments name: `upload_file`, `files_upload_v2`, `send_document`."""
    words = _split_words(name.rpartition(".")[2])
    return "upload" in words or (not _SENDING_VERBS.isdisjoint(words) and not _FILE_NOUNS.isdisjoint(words))


@lru_cache(4096)
def is_message(name: str) -> bool:
    """Returns whether a method puts its arguments where others read them: `chat_postMessage`, `send_text`, `create_comment`."""
    words = _split_words(name.rpartition(".")[2])
    return not _MESSAGE_VERBS.isdisjoint(words) or (words[:1] == ("create",) and not _MESSAGES.isdisjoint(words))


def may_name_file(text: str) -> bool:
    return _FILE_NAME.fullmatch(text) is not None


def is_graph_query(text: str) -> bool:
    """Returns whether a text is a query of Cypher."""
    return _GRAPH_QUERY.fullmatch(text) is not None


def deletes_every_node(text: str) -> bool:
    return _DELETES_EVERY_NODE.search(text) is not None


def _find_obtained_object(maker: str) -> str:
    """`projects.get(42)`, `get_repo(name)`, an item of `servers.list()`: the object that it gives."""
    owner, _, method = maker.removesuffix("[]").rpartition(".")
    if maker.endswith("[]") and _is_plural_of_kept(method):
        return method
    verb, *rest = _split_words(method) or ("",)
    if verb in _HELD_AS_METHOD and not rest:
        return verb
    if verb not in _OBTAINING_VERBS:
        return ""
    noun = owner.rpartition(".")[2] if _OBTAINING_VERBS.union(("all",)).issuperset(rest) else ""
    return noun if _is_plural_of_kept(noun) else next((word for word in rest if _is_kept(word)), "")


def _is_kept(word: str) -> bool:
    return word in _KEPT_OBJECTS or word.removesuffix("s") in _KEPT_OBJECTS


def _is_plural_of_kept(noun: str) -> bool:
    return noun.endswith("s") and any(map(_is_kept, _split_words(noun)[-1:]))


def _split_words(name: str) -> tuple[str, ...]:
    return tuple(_WORDS.findall(_CAMEL.sub(" ", name).lower()))
