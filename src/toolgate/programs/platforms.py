"""Hosts of applications, shops and sites that are told what to do by a command line of their own: what is deleted there.

GROWS: a row is the subcommands that take something away, and the options with a value that may stand before them.
"""

from collections.abc import Iterator

from toolgate.model.effect import Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word

from .program import Program
from .verbs import changes_at_provider, tool


def deletes(forms: str, options: str = "", *, stops: str = "", rights: str = "", dry: str = "--dry-run=?") -> Program:
    """What is deleted there, what is stopped, and with which forms it is changed who may do what."""
    takes = tool({"cloud.delete": forms}, options, dry=dry)
    changes = changes_at_provider(rights=rights, stops=stops)

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        if {"-h", "--help", "--version", "--dry-run"}.isdisjoint(word.text or "" for word in argv):
            yield from changes(argv, seen)
        yield from takes.effects(argv, seen)

    return Program(does=does)


_CONFIRMED = "-y,--yes -f,--force"
ROWS: dict[str, Program] = {
    "dokku": deletes(
        "*:destroy|*:unlink|domains:clear|domains:remove|storage:unmount|certs:remove|config:unset|config:clear|network:destroy",
        "-f,--force --app=",
        stops="apps:stop|ps:stop|*:stop",
        rights="ssh-keys:add|ssh-keys:remove|acl:add|acl:remove",
    ),
    "kamal": deletes(
        "remove; app|proxy|accessory remove; prune all",
        "-y,--confirmed -d,--destination= -r,--roles= -h= -c,--config-file=",
        stops="app|proxy|accessory stop",
    ),
    "convex": deletes("import --replace|--replace-all; env remove|unset", "--replace --replace-all --table= --prod -y"),
    "aptible": deletes("apps:deprovision|db:deprovision|endpoints:deprovision|backup:purge|config:unset|config:rm", "--app="),
    **dict.fromkeys(
        ("platform", "upsun"),
        deletes(
            "*:delete|*:purge|*:clear|db:drop",
            f"-p,--project= -e,--environment= -A,--app= --delete-branch {_CONFIRMED}",
            stops="*:deactivate|*:pause",
            rights="user:add|user:update|access:*",
        ),
    ),
    "terminus": deletes("*:delete|*:wipe|*:remove|env:clone-content|import:database|import:files", _CONFIRMED),
    "northflank": deletes("delete **", "--project= --projectId="),
    "koyeb": deletes("* delete|rm|del", "--token= -a,--app=", stops="* pause"),
    "scalingo": deletes(
        "destroy|addons-remove|domains-remove|env-unset|databases-delete|keys-remove|notifiers-remove",
        "-a,--app= -r,--remote= --region= --addon=",
        stops="stop",
        rights="collaborators-add|collaborators-remove",
    ),
    "clever": deletes(
        "delete; addon|service|domain|env|drain|webhooks|kv delete|rm|remove",
        f"-a,--alias= --app= --org= {_CONFIRMED}",
        stops="stop",
    ),
    "gigalixir": deletes(
        "apps:destroy|pg:destroy|pg:reset|config:unset|domains:remove|account:destroy",
        f"-a,--app_name= --replicas= {_CONFIRMED}",
        rights="permissions:*",
    ),
    "deployctl": deletes("projects|deployments delete|rm", "--org= --token="),
    "surge": deletes("teardown; --teardown", "--teardown -p,--project= -d,--domain="),
    "shopify": deletes(
        "theme delete; theme push --live|--allow-live", "-t,--theme= -s,--store= --password= -e,--environment= --path= -f,--force"
    ),
    "ddev": deletes("delete", f"-O,--omit-snapshot -a,--all {_CONFIRMED}"),
    "lando": deletes("destroy", _CONFIRMED),
    "coolify": deletes("* delete|remove", _CONFIRMED),
    "arc": deletes("destroy", "--app= --force --now --production"),
    "wing": deletes("destroy", "-t,--target="),
    "shuttle": deletes("project|service|resource delete", "--name=", stops="stop; project stop"),
    "modal": deletes("volume|secret|environment|queue|dict delete|rm|clear", f"-e,--env= {_CONFIRMED}", stops="app stop"),
    "runpodctl": deletes("remove pod|pods; * delete", stops="stop pod"),
    "vastai": deletes("destroy|delete **", f"--api-key= {_CONFIRMED}", stops="stop instance"),
    "huggingface-cli": deletes("repo|repo-files delete", f"--type= --token= {_CONFIRMED}"),
    "hf": deletes("repo|repo-files delete; repo tag|branch delete", f"--repo-type= --token= {_CONFIRMED}", stops="jobs cancel"),
    "kaggle": deletes("kernels|datasets|models delete; models instances delete", f"-p,--path= {_CONFIRMED}"),
    "mongocli": deletes("** delete|rm|terminate", f"--projectId= --orgId= -P,--profile= {_CONFIRMED}"),
    "astro": deletes("deployment|workspace|user|team delete|remove", _CONFIRMED),
}
