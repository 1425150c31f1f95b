"""Hosting platforms for applications, shops and sites: commands that delete something there.

GROWS: a row is the subcommands that delete something, and the options with a value that may precede them.
"""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, Operation, PrintedOutput, ReportedEffect, Site
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, join_arguments, make_carrier, program_name
from toolgate.programs.argv.subcommands import program_of_forms, provider_change_handler
from toolgate.programs.databases.clients import codes_of_files, interpret_codes


def platform_program(forms: str, options: str = "", *, stops: str = "", rights: str = "", dry: str = "--dry-run=?") -> Program:
    """A platform: the forms that delete something, stop something (`stops`), or change permissions (`rights`)."""
    takes = program_of_forms({"cloud.delete": forms}, options, dry=dry)
    changes = provider_change_handler(rights=rights, stops=stops)

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        if {"-h", "--help", "--version", "--dry-run"}.isdisjoint(word.text or "" for word in argv):
            yield from changes(argv, context)
        yield from takes.effects_of_call(argv, context)

    return Program(does=report_effects)


HEROKU = Flags(
    "-a,--app= -r,--remote= -s,--size= --confirm= -t,--team= --type= -e,--env= -x,--exit-code --no-tty --no-notify -h,--help"
)
_HEROKU_CHANGES = provider_change_handler(
    rights="access:*|members:*|sharing:*|collaborators:*", stops="maintenance:on; ps:stop|dyno:stop|ps:kill|dyno:kill"
)
_HEROKU_DELETIONS = (
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


def heroku(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = HEROKU.parse(argv, stop=True)
    rest = argv[options.rest :]
    verb = rest[0].text if rest else None
    inner = HEROKU.parse(rest, stop=True)
    if is_help_given(options.flags, inner.flags) or verb is None:
        return
    yield from _HEROKU_CHANGES(argv, context)
    if verb in ("ps:scale", "dyno:scale") and any(word.tail.endswith("=0") for word in rest):
        yield Operation("cloud.delete", context.origin, join_words(rest[:2]), (("dry_run", False), ("stops", True)))
    if verb in _HEROKU_DELETIONS:
        yield Operation("cloud.delete", context.origin, join_words(rest[:2]), (("dry_run", False),))
    elif verb in ("run", "run:detached", "run:inside"):
        words = [word for word in rest[inner.rest :] if word.text != "--"]
        app = inner.value_of("--app") or options.value_of("--app")
        if words:
            yield Interpret(
                "shell",
                join_arguments(words),
                context.origin,
                via=Carrier("heroku", "run"),
                site=Site(f"ssh:heroku/{app.display_text if app else '?'}"),
            )
        return
    elif verb == "pg:psql":
        codes = [(word, "") for name, word in pairwise(rest) if name.text in ("-c", "--command")]
        yield from interpret_codes("sql", codes or [(context.stdin, "")], None, "psql", context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def is_help_given(*given: set[str]) -> bool:
    return any("--help" in flags for flags in given)


WRANGLER = platform_program(
    "delete; d1 time-travel restore; deployments|versions|containers|images delete; d1|queues|vectorize|hyperdrive delete; r2 bucket|object delete; kv:namespace|kv:key|kv:bulk delete; kv namespace|key|bulk delete; pages project|deployment delete;"
    " secret delete; kv:bulk delete; workflows delete; dispatch-namespace delete; queues consumer remove",
    "-c,--config= -e,--env= --name= --namespace-id= --binding= --command= --file= --remote --local --force -y,--yes",
)
_D1 = Flags("-c,--config= -e,--env= --command= --file= --remote --local -y,--yes --json --help")


def wrangler(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    texts = {word.text for word in argv}
    if "--local" not in texts or "--remote" in texts:  # else it is simulated here
        yield from WRANGLER.effects_of_call(argv, context)
    d1_options = _D1.parse(argv)
    if d1_options.operands and d1_options.operands[0].text == "publish":
        flags = (("dry_run", any(word.text == "--dry-run" for word in argv)), ("removes", False))
        yield Operation("package.publish", context.origin, known_word("wrangler ") + d1_options.operands[0], flags)
    remote = d1_options.has_flag("--remote") is True  # else it is a local database, recreated from a file
    if (
        [word.text for word in d1_options.operands[:2]] == ["d1", "execute"]
        and remote
        and d1_options.has_flag("--help") is not True
    ):
        files = list(d1_options.values_of("--file"))
        codes = [(word, "") for word in d1_options.values_of("--command")] + codes_of_files(files, context)
        yield from interpret_codes("sql", codes, known_word("d1"), "mysql", context, known_word("d1.cloudflare.com"))


def remote_console(verb: str, forms: str, options: str) -> Program:
    """A platform that deletes, and whose `fly ssh console -C CODE` runs code on a machine there."""
    takes, start = platform_program(forms, options), verb.split()

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        yield from takes.effects_of_call(argv, context)
        if [word.text for word in argv[1:] if word.starts_with("-") is not True][: len(start)] == start:
            for option, code in pairwise(argv):
                if option.text in ("-C", "--command"):
                    yield Interpret(
                        "shell", code, context.origin, via=make_carrier(argv, verb), site=Site(f"ssh:{program_name(argv)}")
                    )

    return Program(does=report_effects)


_CONFIRMING_OPTIONS = "-y,--yes -f,--force"
ROWS: dict[str, Program] = {
    "dokku": platform_program(
        "*:destroy|*:unlink|domains:clear|domains:remove|storage:unmount|certs:remove|config:unset|config:clear|network:destroy",
        "-f,--force --app=",
        stops="apps:stop|ps:stop|*:stop",
        rights="ssh-keys:add|ssh-keys:remove|acl:add|acl:remove",
    ),
    "kamal": platform_program(
        "remove; app|proxy|accessory remove; prune all",
        "-y,--confirmed -d,--destination= -r,--roles= -h= -c,--config-file=",
        stops="app|proxy|accessory stop",
    ),
    "convex": platform_program("import --replace|--replace-all; env remove|unset", "--replace --replace-all --table= --prod -y"),
    "aptible": platform_program(
        "apps:deprovision|db:deprovision|endpoints:deprovision|backup:purge|config:unset|config:rm", "--app="
    ),
    **dict.fromkeys(
        ("platform", "upsun"),
        platform_program(
            "*:delete|*:purge|*:clear|db:drop",
            f"-p,--project= -e,--environment= -A,--app= --delete-branch {_CONFIRMING_OPTIONS}",
            stops="*:deactivate|*:pause",
            rights="user:add|user:update|access:*",
        ),
    ),
    "terminus": platform_program("*:delete|*:wipe|*:remove|env:clone-content|import:database|import:files", _CONFIRMING_OPTIONS),
    "northflank": platform_program("delete **", "--project= --projectId="),
    "koyeb": platform_program("* delete|rm|del", "--token= -a,--app=", stops="* pause"),
    "scalingo": platform_program(
        "destroy|addons-remove|domains-remove|env-unset|databases-delete|keys-remove|notifiers-remove",
        "-a,--app= -r,--remote= --region= --addon=",
        stops="stop",
        rights="collaborators-add|collaborators-remove",
    ),
    "clever": platform_program(
        "delete; addon|service|domain|env|drain|webhooks|kv delete|rm|remove",
        f"-a,--alias= --app= --org= {_CONFIRMING_OPTIONS}",
        stops="stop",
    ),
    "gigalixir": platform_program(
        "apps:destroy|pg:destroy|pg:reset|config:unset|domains:remove|account:destroy",
        f"-a,--app_name= --replicas= {_CONFIRMING_OPTIONS}",
        rights="permissions:*",
    ),
    "deployctl": platform_program("projects|deployments delete|rm", "--org= --token="),
    "surge": platform_program("teardown; --teardown", "--teardown -p,--project= -d,--domain="),
    "shopify": platform_program(
        "theme delete; theme push --live|--allow-live", "-t,--theme= -s,--store= --password= -e,--environment= --path= -f,--force"
    ),
    "ddev": platform_program("delete", f"-O,--omit-snapshot -a,--all {_CONFIRMING_OPTIONS}"),
    "lando": platform_program("destroy", _CONFIRMING_OPTIONS),
    "coolify": platform_program("* delete|remove", _CONFIRMING_OPTIONS),
    "arc": platform_program("destroy", "--app= --force --now --production"),
    "wing": platform_program("destroy", "-t,--target="),
    "shuttle": platform_program("project|service|resource delete", "--name=", stops="stop; project stop"),
    "modal": platform_program(
        "volume|secret|environment|queue|dict delete|rm|clear", f"-e,--env= {_CONFIRMING_OPTIONS}", stops="app stop"
    ),
    "runpodctl": platform_program("remove pod|pods; * delete", stops="stop pod"),
    "vastai": platform_program("destroy|delete **", f"--api-key= {_CONFIRMING_OPTIONS}", stops="stop instance"),
    "huggingface-cli": platform_program("repo|repo-files delete", f"--type= --token= {_CONFIRMING_OPTIONS}"),
    "hf": platform_program(
        "repo|repo-files delete; repo tag|branch delete", f"--repo-type= --token= {_CONFIRMING_OPTIONS}", stops="jobs cancel"
    ),
    "kaggle": platform_program("kernels|datasets|models delete; models instances delete", f"-p,--path= {_CONFIRMING_OPTIONS}"),
    "mongocli": platform_program("** delete|rm|terminate", f"--projectId= --orgId= -P,--profile= {_CONFIRMING_OPTIONS}"),
    "astro": platform_program("deployment|workspace|user|team delete|remove", _CONFIRMING_OPTIONS),
    "heroku": Program(does=heroku),
    **dict.fromkeys(
        ("fly", "flyctl"),
        remote_console(
            "ssh console",
            "apps|app destroy|delete; destroy; volumes|volume|vol destroy|delete|rm; pg|postgres|mysql|redis|consul destroy|delete; machine|machines|m destroy|remove|rm; certs|wireguard|tokens|storage|mpg remove|delete|destroy|revoke; destroy-pipeline|dp|destroy-team|dt; postgres detach; secrets unset; ips release; scale count 0",
            "-a,--app= -c,--config= -y,--yes -f,--force -o,--org= -r,--region= -t,--target= -p,--pipeline= -n,--non-interactive --team-name=",
        ),
    ),
    **dict.fromkeys(
        ("vercel", "vc"),
        platform_program(
            "remove|rm; project|projects|env|domains|dns|alias|certs|secrets|blob|teams|team|integration|redirects|microfrontends rm|remove|del|delete",
            "-t,--token= -S,--scope= -y,--yes -s,--safe -A,--local-config= --cwd=",
        ),
    ),
    **dict.fromkeys(
        ("netlify", "ntl"),
        platform_program(
            "delete; sites:delete; env:unset; blobs:delete; functions:delete; api delete*", "-f,--force --auth= --context="
        ),
    ),
    "wrangler": Program(does=wrangler),
    "firebase": platform_program(
        "*:delete|*:remove|*:destroy|*:uninstall|database:set|hosting:disable|remoteconfig:rollback",
        "-P,--project= --token= -r,--recursive -f,--force --all-collections -y,--yes --account=",
    ),
    "cf": platform_program(
        "delete|delete-service|delete-org|delete-space|delete-route|delete-orphaned-routes|purge-service-offering|purge-service-instance|d",
        "-f -r",
    ),
}
