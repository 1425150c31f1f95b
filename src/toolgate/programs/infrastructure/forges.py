"""Forges: commands that delete something or make it public. Titles, bodies and notes are plain text."""

import json
import re
from collections.abc import Iterator

from toolgate.locality import is_in_production
from toolgate.model.effect import Carrier, Connect, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Run, Send
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, program_name
from toolgate.programs.argv.subcommands import program_of_forms

GH = Flags(
    "-R,--repo= -X,--method= -H,--header= -f,--raw-field= -F,--field= --input= -q,--jq= -t,--title= -b,--body= --body-file= --template= --json= --paginate --hostname= --cache="
    " -p,--preview= --silent -i,--include --yes -y --confirm --visibility= -l,--label= -a,--assignee= -m,--milestone= -B,--base= --head= -d,--draft --web -w"
    " -e,--env= -o,--org= -u,--user= --app= -n,--notes= --notes-file= --target= --cleanup-tag --accept-visibility-change-consequences -c,--comment= -r,--reviewer= --slurp -h,--help"
)
_LOSSES_BY_NOUN = {
    "repo": ("delete", "archive", "rename", "transfer"),
    "project": ("delete",),
    "release": ("delete", "delete-asset"),
    "secret": ("delete", "remove"),
    "variable": ("delete", "remove"),
    "issue": ("delete",),
    "label": ("delete",),
    "gist": ("delete",),
    "run": ("delete",),
    "codespace": ("delete",),
    "cs": ("delete", "rm"),
    "ssh-key": ("delete",),
    "gpg-key": ("delete",),
    "deploy-key": ("delete",),
    "environment": ("delete",),
    "mr": ("delete",),
    "token": ("revoke",),
    "cache": ("delete",),
    "ruleset": ("delete",),
    "autolink": ("delete",),
    "pipeline": ("delete",),
    "ci": ("delete",),
    "schedule": ("delete",),
    "cluster": ("delete",),
    "runner": ("delete",),
    "securefile": ("remove", "delete"),
    "deploy-token": ("delete", "revoke"),
    "snippet": ("delete",),
    "milestone": ("delete",),
}


_NOUNS_BY_OTHERS = ("api", "gist", "issue", "pr", "mr", "release", "repo", "run", "search", "snippet")
"""Nouns whose output was written by other people at the forge."""
_FORGE_HOSTS = {"gh": "github.com", "glab": "gitlab.com"}
_KEY_NOUNS = ("ssh-key", "gpg-key", "deploy-key")
_SCOPE_COMMANDS = (["auth", "refresh"], ["auth", "login"])
_WIDE_SCOPES = re.compile(r"\b(?:admin:|delete[_:]|write:org|site_admin)")
_PUBLISHING_FIELDS = ("private=false", "visibility=public")


_NAMES_FILE = re.compile(r"/?repos/[^/]+/[^/]+/contents/.").match
"""Matches a path where DELETE adds a commit without the file, whose content the history keeps."""


def _names_working_branch(field: Word) -> bool:
    name, _, branch = field.partition("=")
    return name.text == "branch" and bool(branch.text) and not is_in_production(branch.text or "main")


_WAITS = frozenset(("--auto", "--disable-auto", "--auto-merge"))
"""Options with which a merge waits until those who review have agreed and all checks have passed."""
_FILLING_OPTIONS = frozenset(("--push", "--source", "-s"))
"""Options of `gh repo create` that fill the new repository from a folder of this machine."""


def gh_or_glab(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """gh, glab. Titles, bodies and notes are plain text."""
    options = GH.parse(argv)
    if options.has_flag("--help") is True:
        return
    texts = [word.text or "" for word in options.operands]
    noun, verb = [*texts, "", ""][:2]
    if noun == "repo" and verb == "deploy-key":
        noun, verb = verb, [*texts, "", "", ""][2]
    argv_texts = {word.text for word in argv}
    if (noun == "pr" and verb == "merge" and "--admin" in options.strange) or (noun == "workflow" and verb == "disable"):
        yield Operation("cloud.delete", context.origin, join_words(options.operands[:2]), (("dry_run", False), ("rights", True)))
    if noun in ("pr", "mr") and verb == "merge" and not _WAITS.intersection(argv_texts):
        yield Operation("tool.act", context.origin, join_words(argv[:3]), (("merges", True),))
    harm = _find_harm_of_request(options, verb, context) if noun == "api" else _find_harm_of_verb(options, argv, noun, verb)
    if harm or verb in _LOSSES_BY_NOUN.get(noun, ()):
        flags = (("dry_run", False), ("exposes", "exposes" in harm), ("rights", "rights" in harm))
        yield Operation("cloud.delete", context.origin, join_words(options.operands[:3]), flags)
    if texts[:2] == ["alias", "set"] and len(texts) > 3:
        code = options.operands[3]
        shell = code.starts_with("!") is not False or "--shell" in argv_texts
        code = code.drop_first(1) if code.starts_with("!") is True else code if shell else known_word("gh ") + code
        yield Interpret("shell", code, context.origin, via=Carrier("gh", "alias"))
    if noun == "release" and verb in ("create", "upload"):
        is_draft = (("dry_run", "--draft" in argv_texts), ("removes", False))
        yield Operation("package.publish", context.origin, join_words(options.operands[:3]), is_draft)
    yield from _report_sent_texts(argv, options, noun, context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def _find_harm_of_verb(options: ParsedOptions, argv: tuple[Word, ...], noun: str, verb: str) -> set[str]:
    """Returns what a command does beyond its noun's own losses: `exposes`, `rights`, `loses`."""
    argv_texts = {word.text for word in argv}
    begins = [word.text or "" for word in options.operands[:2]]
    found = set()
    becomes_public = "--public" in argv_texts or any(
        (word.text or "").lower() == "public" for word in options.values_of("--visibility")
    )
    is_filled = not argv_texts.isdisjoint(_FILLING_OPTIONS) or any(word.starts_with("--source=") is True for word in argv)
    if becomes_public and noun in ("repo", "project") and (verb == "edit" or (verb == "create" and is_filled)):
        found.add("exposes")
    if (verb == "add" and noun in _KEY_NOUNS) or (begins in _SCOPE_COMMANDS and _asks_for_wide_scopes(argv)):
        found.add("rights")
    unmerged = begins == ["pr", "close"] and "--delete-branch" in argv_texts
    if unmerged or (begins == ["repo", "sync"] and "--force" in argv_texts):
        found.add("loses")
    return found


def _find_harm_of_request(options: ParsedOptions, path: str, context: ExecutionContext) -> set[str]:
    """Returns what a request to the interface does: `exposes`, `rights`, `loses`."""
    fields = [*options.values_of("--raw-field", "--field"), *_read_body(options, context)]
    method = options.value_of("--method") or (known_word("POST") if fields else None)  # what gh sends where it has fields
    found = set()
    if any(word.text in _PUBLISHING_FIELDS for word in fields):
        found.add("exposes")
    if _changes_permissions(method, [word.text or "" for word in options.operands]):
        found.add("rights")
    removes = method is not None and (method.text or "").upper() == "DELETE"
    overwrites = "/git/refs/" in path and any(word.text == "force=true" for word in fields)
    mutates = path == "graphql" and any(word.contains("mutation") is True and word.contains("delete") is True for word in fields)
    archives = any(word.text == "archived=true" or word.starts_with("new_owner=") is True for word in fields)
    if overwrites or mutates or archives or (removes and not (_NAMES_FILE(path) and any(map(_names_working_branch, fields)))):
        found.add("loses")
    return found


def _read_body(options: ParsedOptions, context: ExecutionContext) -> Iterator[Word]:
    """Yields the fields of a body in a file or on the standard input, as `--field` has them."""
    for file in options.values_of("--input"):
        body = context.stdin if file.text == "-" else context.read(file)
        try:
            held = json.loads(body.text or "null")
        except (ValueError, RecursionError):
            continue
        for name, value in held.items() if isinstance(held, dict) else ():
            text = value if isinstance(value, str) else json.dumps(value)
            yield known_word(f"{name}={text}", body.src)


def _report_sent_texts(
    argv: tuple[Word, ...], options: ParsedOptions, noun: str, context: ExecutionContext
) -> Iterator[ReportedEffect]:
    """Reports the texts and files that others will read, and the connections to read what others have written."""
    program = program_name(argv)
    said = list(options.values_of("--title", "--body", "--notes", "--message", "--description"))
    if said:
        yield Send(known_word("github" if program == "gh" else "gitlab"), join_words(said, "\n"), "message", context.origin)
    if noun in _NOUNS_BY_OTHERS:
        forge = known_word(_FORGE_HOSTS.get(program, "a forge"))
        yield Connect(options.operands[1] if noun == "api" and len(options.operands) > 1 else forge, context.origin)
    for file in _list_gist_files(argv) if [word.text for word in options.operands[:2]] == ["gist", "create"] else ():
        yield Read(context.resolve_place(file), context.origin)
        yield Connect(known_word("gist.github.com"), context.origin, sends=context.read(file))
    for file in options.values_of("--body-file", "--notes-file", "--input"):
        if file.text != "-":
            yield Read(context.resolve_place(file), context.origin)


def _asks_for_wide_scopes(argv: tuple[Word, ...]) -> bool:
    """Returns whether a token is to delete repositories or to administer an organisation."""
    return any(_WIDE_SCOPES.search(word.text or "") for word in argv[3:])


def _list_gist_files(argv: tuple[Word, ...]) -> list[Word]:
    """Returns the files of `gh gist create`, where `-p` takes no value."""
    return Flags("-d,--desc= -f,--filename= -p,--public -w,--web").parse(argv).operands[2:]


def _changes_permissions(method: Word | None, texts: list[str]) -> bool:
    """Returns whether an API call changes branch protection, the members or the webhooks of a project, or which workflows run."""
    path = texts[1] if len(texts) > 1 else ""
    writes = method is not None and (method.text or "").upper() in ("PUT", "PATCH", "POST")
    return writes and (any(mark in path for mark in _RIGHTS_PATHS) or _WORKFLOW_PATH.search(path) is not None)


_RIGHTS_PATHS = ("/protection", "/rulesets", "/collaborators", "/memberships", "/members", "/keys")
_WORKFLOW_PATH = re.compile(r"\b(?:repos/[^/]+|orgs)/[^/]+/(?:hooks\b|actions/permissions\b|actions/workflows/[^/]+/disable$)")


def gist(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """The gist program uploads each of its operands."""
    for file in argv[1:]:
        if file.starts_with("-") is False:
            yield Read(context.resolve_place(file), context.origin)
            yield Connect(known_word("gist.github.com"), context.origin, sends=context.read(file))
    yield PrintedOutput(context.unknown_output("gist"))


_HUB = program_of_forms({"cloud.delete": "delete; release delete"}, "-y,--yes")
_HUB_COMMANDS = "alias api browse ci-status compare create delete fork gist issue pr pull-request release sync"


def hub(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """hub passes commands that are not its own to git."""
    if len(argv) > 1 and argv[1].text not in _HUB_COMMANDS.split():
        yield Run((known_word("git"), *argv[1:]), context.origin, Carrier("hub"))
    yield from _HUB.effects_of_call(argv, context)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("gh", "glab"), Program(does=gh_or_glab)),
    "gist": Program(does=gist),
    "gitlab-runner": program_of_forms(
        {"cloud.delete": "unregister|uninstall|stop"}, "--all-runners -n,--name= -t,--token= -u,--url= -c,--config="
    ),
    "gitlab-ctl": program_of_forms({"cloud.delete": "cleanse|stop|uninstall|remove-accounts|pg-upgrade"}, ""),
    **dict.fromkeys(
        ("gitlab-rake", "gitlab-backup"),
        program_of_forms({"database.drop": "gitlab:backup:restore|gitlab:setup|restore|db:*"}, "BACKUP= force="),
    ),
    "jenkins-cli": program_of_forms(
        {
            "cloud.delete": "delete-job|delete-builds|delete-node|delete-view|delete-credentials*|clear-queue|disconnect-node|offline-node"
            "|disable-job|disable-plugin|quiet-down|safe-shutdown|shutdown|safe-restart|restart|groovy|groovysh"
        },
        "-s= -auth= -webSocket -http -ssh -user= -i= -noCertificateCheck -noKeyAuth -logger=",
    ),
    **dict.fromkeys(
        ("drone", "woodpecker-cli", "woodpecker"),
        program_of_forms(
            {"cloud.delete": "* rm|remove|delete|disable|chown|kill|purge|decline; * * rm|remove|delete"},
            "-t,--token= -s,--server= --repository= --name=",
        ),
    ),
    "travis": program_of_forms(
        {"cloud.delete": "disable|cancel; env unset|clear; sshkey --delete; cache --delete"},
        "-r,--repo= --delete -f,--force --org --com --pro",
    ),
    "hub": Program(does=hub),
}
