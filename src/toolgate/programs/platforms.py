"""Hosting platforms for applications, shops and sites: commands that delete something there.

GROWS: a row is the subcommands that delete something, and the options with a value that may precede them.
"""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Interpret, Operation, Prints, Reported, Site
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined, known

from .databases import file_codes, interpreted
from .options import Flags
from .program import Program, text_of, via
from .verbs import changes_at_provider, tool


def deletes(forms: str, options: str = "", *, stops: str = "", rights: str = "", dry: str = "--dry-run=?") -> Program:
    """A platform: the forms that delete something, stop something (`stops`), or change permissions (`rights`)."""
    takes = tool({"cloud.delete": forms}, options, dry=dry)
    changes = changes_at_provider(rights=rights, stops=stops)

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        if {"-h", "--help", "--version", "--dry-run"}.isdisjoint(word.text or "" for word in argv):
            yield from changes(argv, seen)
        yield from takes.effects(argv, seen)

    return Program(does=does)


HEROKU = Flags(
    "-a,--app= -r,--remote= -s,--size= --confirm= -t,--team= --type= -e,--env= -x,--exit-code --no-tty --no-notify -h,--help"
)
_HEROKU_CHANGES = changes_at_provider(
    rights="access:*|members:*|sharing:*|collaborators:*", stops="maintenance:on; ps:stop|dyno:stop|ps:kill|dyno:kill"
)
_HEROKU = (
    "apps:destroy",
    "apps:delete",
    "destroy",
    "pg:reset",
    "addons:destroy",
    "domains:clear",
    "domains:remove",
    "certs:remove",
    "webhooks:remove",
    "buildpacks:clear",
    "data:maintenances:run",
    "pipelines:destroy",
    "repo:reset",
    "spaces:destroy",
    "teams:delete",
    "pg:credentials:destroy",
    "pg:backups:delete",
    "pg:restore",
    "pg:backups:restore",
    "pg:copy",
    "pg:killall",
    "keys:remove",
    "drains:remove",
    "config:unset",
    "keys:clear",
)


def heroku(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = HEROKU.read(argv, stop=True)
    rest = argv[given.rest :]
    verb = rest[0].text if rest else None
    inner = HEROKU.read(rest, stop=True)
    if some_help(given.flags, inner.flags) or verb is None:
        return
    yield from _HEROKU_CHANGES(argv, seen)
    if verb in ("ps:scale", "dyno:scale") and any(word.tail.endswith("=0") for word in rest):
        yield Operation("cloud.delete", seen.origin, joined(rest[:2]), (("dry_run", False), ("stops", True)))
    if verb in _HEROKU:
        yield Operation("cloud.delete", seen.origin, joined(rest[:2]), (("dry_run", False),))
    elif verb in ("run", "run:detached", "run:inside"):
        words = [word for word in rest[inner.rest :] if word.text != "--"]
        app = inner.value("--app") or given.value("--app")
        if words:
            yield Interpret(
                "shell", text_of(words), seen.origin, via="heroku run", site=Site(f"ssh:heroku/{app.shown if app else '?'}")
            )
        return
    elif verb == "pg:psql":
        codes = [(word, "") for name, word in pairwise(rest) if name.text in ("-c", "--command")]
        yield from interpreted("sql", codes or [(seen.stdin, "")], None, "psql", seen)
    yield Prints(seen.output(via(argv)))


def some_help(*given: set[str]) -> bool:
    return any("--help" in flags for flags in given)


WRANGLER = deletes(
    "delete; d1 time-travel restore; deployments|versions|containers|images delete; d1|queues|vectorize|hyperdrive delete; r2 bucket|object delete; kv:namespace|kv:key|kv:bulk delete; kv namespace|key|bulk delete; pages project|deployment delete;"
    " secret delete; kv:bulk delete; workflows delete; dispatch-namespace delete; queues consumer remove",
    "-c,--config= -e,--env= --name= --namespace-id= --binding= --command= --file= --remote --local --force -y,--yes",
)
_D1 = Flags("-c,--config= -e,--env= --command= --file= --remote --local -y,--yes --json --help")


def wrangler(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    yield from WRANGLER.effects(argv, seen)
    given = _D1.read(argv)
    if given.operands and given.operands[0].text == "publish":
        flags = (("dry_run", any(word.text == "--dry-run" for word in argv)), ("removes", False))
        yield Operation("package.publish", seen.origin, known("wrangler ") + given.operands[0], flags)
    remote = given.flag("--remote") is True  # else it is a local database, recreated from a file
    if [word.text for word in given.operands[:2]] == ["d1", "execute"] and remote and given.flag("--help") is not True:
        files = list(given.all("--file"))
        codes = [(word, "") for word in given.all("--command")] + file_codes(files, seen)
        yield from interpreted("sql", codes, known("d1"), "mysql", seen)


def runs_there(verb: str, forms: str, options: str) -> Program:
    """A platform that deletes, and whose `fly ssh console -C CODE` runs code on a machine there."""
    takes, start = deletes(forms, options), verb.split()

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        yield from takes.effects(argv, seen)
        if [word.text for word in argv[1:] if word.starts("-") is not True][: len(start)] == start:
            for option, code in pairwise(argv):
                if option.text in ("-C", "--command"):
                    yield Interpret("shell", code, seen.origin, via=via(argv, verb), site=Site(f"ssh:{via(argv)}"))

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
    "heroku": Program(does=heroku),
    **dict.fromkeys(
        ("fly", "flyctl"),
        runs_there(
            "ssh console",
            "apps|app destroy|delete; destroy; volumes|volume|vol destroy|delete|rm; pg|postgres|mysql|redis|consul destroy|delete; machine|machines|m destroy|remove|rm; certs|wireguard|tokens|storage|mpg remove|delete|destroy|revoke; destroy-pipeline|dp|destroy-team|dt; postgres detach; secrets unset; ips release; scale count 0",
            "-a,--app= -c,--config= -y,--yes -f,--force -o,--org= -r,--region= -t,--target= -p,--pipeline= -n,--non-interactive --team-name=",
        ),
    ),
    **dict.fromkeys(
        ("vercel", "vc"),
        deletes(
            "remove|rm; project|projects|env|domains|dns|alias|certs|secrets|blob|teams|team|integration|redirects|microfrontends rm|remove|del|delete",
            "-t,--token= -S,--scope= -y,--yes -s,--safe -A,--local-config= --cwd=",
        ),
    ),
    **dict.fromkeys(
        ("netlify", "ntl"),
        deletes("delete; sites:delete; env:unset; blobs:delete; functions:delete; api delete*", "-f,--force --auth= --context="),
    ),
    "wrangler": Program(does=wrangler),
    "firebase": deletes(
        "*:delete|*:remove|*:destroy|*:uninstall|database:set|hosting:disable|remoteconfig:rollback",
        "-P,--project= --token= -r,--recursive -f,--force --all-collections -y,--yes --account=",
    ),
    "railway": deletes(
        "down; delete; volume|service|environment|project|variable|variables|domain delete|remove|rm",
        "-s,--service= -e,--environment= -y,--yes",
    ),
    "cf": deletes(
        "delete|delete-service|delete-org|delete-space|delete-route|delete-orphaned-routes|purge-service-offering|purge-service-instance|d",
        "-f -r",
    ),
}
