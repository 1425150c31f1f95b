"""Package managers and runtimes of JavaScript: the commands that the project's own files define under a name."""

from collections.abc import Iterator

from toolgate.flows.destinations import is_local
from toolgate.model.effect import Carrier, Connect, Interpret, Operation, PrintedOutput, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, make_carrier, program_name
from toolgate.programs.interpreters.environment_options import load_environment_files
from toolgate.programs.interpreters.script_interpreters import NODE, run_node_preloads, run_preloads, run_script_file
from toolgate.programs.packages.sources import find_persistent_sources, find_sources

from .lifecycle_scripts import ScriptCall, parse_script_call, run_scripts
from .steps import Step, line_of_key, package_scripts, set_fields
from .task_files import find_nearest, interpret_step
from .taskfiles import deno_steps

NPM = Flags(
    "-g,--global --tag= --access= --dry-run --otp= -w,--workspace= -ws,--workspaces --registry= -D,--save-dev -S,--save -E --prefix= -C,--dir,--cwd= --if-present"
    " --ignore-scripts --force -f --no-audit --no-fund --legacy-peer-deps --omit= --include= --no-git-checks --yes -y -r,--recursive -F,--filter= --frozen-lockfile --no-git-tag-version --include-workspace-root --foreground-scripts --offline --prefer-offline --silent"
    " -s,--silent -h,--help"
)
_HELP_OPTIONS = ("-h", "--help")
INSTALL_VERBS = ("install", "i", "add", "ci")
_REGISTRY_CHANGES = {
    "owner": ("add", "rm"),
    "token": ("revoke", "delete", "rm"),
    "access": ("public", "restricted", "grant", "revoke", "set"),
    "dist-tag": ("add", "rm"),
    "tag": ("add", "remove"),
}


_EXEC_OPTIONS = Flags("-c,--call= -p,--package= -y,--yes -w,--workspace= --workspaces")


def npm(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """npm, pnpm, yarn: scripts of package.json, programs of the project, and publishing."""
    yield from run_node_preloads(context)
    options = NPM.parse(argv)
    words = [word for word in options.operands if word.text != "npm"]
    verb = words[0].text if words else None
    second = words[1].text if len(words) > 1 else None
    if verb in INSTALL_VERBS:
        yield from find_sources(argv, context)
    yield from find_persistent_sources(words, context)
    means_it = {word.text for word in argv[1:]}.isdisjoint(_HELP_OPTIONS)
    call = parse_script_call(program_name(argv), words, options) if means_it else None
    steps = list(run_scripts(call, options, context)) if call is not None else []
    yield from steps
    if means_it and (
        verb in ("publish", "unpublish", "deprecate") or (verb in _REGISTRY_CHANGES and second in _REGISTRY_CHANGES[verb])
    ):
        yield Operation(
            "package.publish",
            context.origin,
            words[1] if len(words) > 1 else None,
            (
                ("dry_run", is_local(options.value_of("--registry")) or options.has_flag("--dry-run")),
                ("removes", verb != "publish"),
            ),
        )
        yield Connect(options.value_of("--registry") or words[0], context.origin)
    elif (verb, second) == ("pkg", "set"):
        yield from _set_package_fields(words[2:], context)
    elif verb in ("exec", "x") and (code := _EXEC_OPTIONS.parse(argv).value_of("--call")) is not None:
        yield Interpret("shell", code, context.origin, via=make_carrier(argv, "exec -c"))
    elif verb in ("exec", "x", "dlx") and (word := next((word for word in words[1:2] if word.contains("://") is True), None)):
        yield Connect(word, context.origin)
        yield Interpret(
            "javascript", context.unknown_output(f"the response of {word.display_text}"), context.origin, via=make_carrier(argv)
        )
    elif not steps and (command := _command_of_exec(argv)):
        carries = verb in ("exec", "x", "dlx") and not options.strange and not options.open
        yield Run(command, context.origin, make_carrier(argv), sure=True if carries else None)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def node(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`node --run NAME` runs a script of package.json, without npm's pre and post scripts."""
    yield from run_preloads(argv[1:], context)
    yield from run_node_preloads(context)
    options = Flags("--run=").parse(argv[: next((n for n, word in enumerate(argv) if word.text == "--"), len(argv))])
    for name in options.values_of("--run"):
        for file in find_nearest(("package.json",), None, context):
            if (body := (package_scripts(file.text) or {}).get(name.text or "")) is not None:
                yield interpret_step(Step(known_word(body), line_of_key(file.text, name.text or "")), file, context)
    if options.value_of("--run") is None:
        yield from NODE.effects_of_call(argv, context)


def _set_package_fields(words: list[Word], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`npm pkg set scripts.NAME=CODE` writes the changed manifest."""
    file = known_word("package.json")
    for content in context.read_alternatives(file):
        text = set_fields(content.text or "", [word.text or "" for word in words])
        if text is not None:
            yield Write(context.resolve_place(file), known_word(text, content.src), False, context.origin)


def _command_of_exec(argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """Returns the project's program in `npm exec prisma ..`, `pnpm dlx x`, `yarn x`. Subcommands of pnpm and yarn are no
    programs."""
    tool = program_name(argv)
    options = NPM.parse(argv, stop=True)
    words = argv[options.rest :]
    if words and words[0].text == "workspace" and tool == "yarn":
        words = words[2:]
    first = words[0].text if words else None
    if first == "explore":  # a folder of node_modules, then a command
        rest = words[2:]
        return rest[1:] if rest and rest[0].text == "--" else rest
    if first in ("exec", "x", "dlx"):
        words = words[1 + NPM.parse(words, stop=True).rest - 1 :]
        return words[1:] if words and words[0].text == "--" else words
    return words if first is not None and tool in ("pnpm", "yarn") and first not in OWN_SUBCOMMANDS and first[:1] != "-" else ()


def _reads_stdin(words: list[Word]) -> bool:
    """Returns whether the words are `run -`, or a dash alone."""
    return [word.text for word in words[:2]] == ["run", "-"] or words[0].text == "-"


def bun(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A runtime and a package manager: `bun x.ts`, `bun -e CODE`, `bun run NAME`, `bun NAME`."""
    options = BUN.parse(argv)
    for code in options.values_of("--eval", "--print"):
        yield Interpret("javascript", code, context.origin, tuple(options.operands), via=Carrier("bun", "-e"))
    words = list(options.operands)
    verb = words[0].text if words else None
    if options.values and verb is None:
        return
    if verb in INSTALL_VERBS:
        yield from find_sources(argv, context)
    if verb == "publish" and {word.text for word in argv[1:]}.isdisjoint(_HELP_OPTIONS):
        yield Operation("package.publish", context.origin, None, (("dry_run", options.has_flag("--dry-run")),))
    elif verb in ("x", "exec") and len(words) > 1:
        yield Run(tuple(words[1:]), context.origin, Carrier("bun", "x"), sure=None)
    elif verb is None or _reads_stdin(words):
        yield Interpret("javascript", context.stdin, context.origin, via=Carrier("bun", "<stdin"))
    elif (call := parse_script_call("bun", words, options)) is not None and (steps := list(run_scripts(call, options, context))):
        yield from steps
    else:
        given_to_it = words[1:] if verb == "run" and len(words) > 1 else words
        if given_to_it[0].tail.endswith((".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs")):
            yield from run_script_file("javascript", given_to_it[0], tuple(given_to_it), context)
    yield PrintedOutput(context.unknown_output("bun"))


BUN = Flags(
    "-e,--eval= -p,--print= -r,--preload= --watch --hot --inspect=? --cwd= --prefix= -c,--config= --env-file= -b,--bun --silent --if-present --dry-run -w,--workspace="
    " --workspaces --recursive -F,--filter= -h,--help -v,--version"
)
OWN_SUBCOMMANDS = frozenset(
    "install i add remove rm uninstall un unlink update up upgrade link ln run exec dlx create init publish unpublish"
    " pack audit outdated list ls why info view config cache store login logout whoami version versions test t start"
    " stop restart build lint workspace workspaces node patch patch-commit import rebuild rb prune dedupe set unset"
    " plugin constraints search bin root fetch deploy env server doctor owner team dist-tag tag deprecate access token"
    " profile ping help completion explain fund ci diff edit docs repo bugs star global policies licenses generate-lock-"
    " entry autoclean check self-update setup npm rename up-interactive upgrade-interactive".split()
)


def deno(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`deno eval CODE`, `deno run FILE`, `deno FILE`, `deno task NAME`; other subcommands run no code."""
    options = Flags(
        "-A,--allow-all --dry-run -p,--print -c,--config= -q,--quiet -r,--reload=? --ext= -T --cwd= -h,--help -V,--version"
    ).parse(argv)
    rest = list(options.operands)
    verb = rest[0].text if rest else None
    if not rest or _reads_stdin(rest):
        yield Interpret("javascript", context.stdin, context.origin, via=Carrier("deno", "<stdin"))
    elif verb == "eval" and len(rest) > 1:
        yield Interpret("javascript", rest[1], context.origin, tuple(rest[2:]), via=Carrier("deno", "eval"))
    elif verb == "task" and len(rest) > 1:
        for file in find_nearest(("deno.json", "deno.jsonc"), options.value_of("--cwd"), context):
            yield from (interpret_step(each, file, context) for each in deno_steps(file.text, rest[1].text or "", rest[2:]))
        yield from run_scripts(ScriptCall((rest[1].text or "",), rest[1].text or "", rest[2:], None), options, context)
    elif verb == "publish":
        yield Operation("package.publish", context.origin, None, (("dry_run", options.has_flag("--dry-run")),))
    elif verb in ("run", "serve") and len(rest) > 1:
        yield from run_script_file("javascript", rest[1], tuple(rest[1:]), context)
    elif rest[0].tail.endswith((".ts", ".js", ".mjs", ".tsx")):
        yield from run_script_file("javascript", rest[0], tuple(rest), context)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("npm", "pnpm", "yarn"), Program(does=npm)),
    "bun": load_environment_files(Program(does=bun)),
    **dict.fromkeys(("node", "nodejs"), Program(does=node)),
    "deno": load_environment_files(Program(does=deno)),
}
