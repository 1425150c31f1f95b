"""The scripts of package.json that package managers run for a subcommand, and the packages whose scripts these are."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolgate.model.effect import Carrier, Interpret, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import ParsedOptions
from toolgate.programs.interpreters.script_interpreters import run_preloads

from .steps import Step, define_variables, line_of_key, package_scripts, unread_step
from .task_files import File, find_nearest, interpret_step, read_candidates
from .workspaces import find_local_dependencies, find_packages, parse_manifest, select_packages

INSTALL = "pnpm:devPreinstall preinstall install postinstall prepublish preprepare prepare postprepare dependencies"
"""The scripts of a package itself that run when its dependencies are installed."""
_EVENTS_TABLE = f"""
install i in ins inst insta add ci clean-install ic install-clean | {INSTALL}
install-test it install-ci-test cit clean-install-test sit | {INSTALL} pretest test posttest
rebuild rb | preinstall install postinstall
link ln | preinstall install postinstall prepare
update up upgrade dedupe prune uninstall remove rm un | dependencies
pack | prepack prepare postpack
publish | prepublishOnly prepack prepare postpack publish postpublish
version | preversion version postversion
test t tst | pretest test posttest
start | prestart start poststart
stop | prestop stop poststop
restart | prerestart prestop stop poststop restart prestart start poststart postrestart
"""
EVENTS: Mapping[str, tuple[str, ...]] = {
    verb: tuple(events.split())
    for verbs, events in (line.split("|") for line in _EVENTS_TABLE.strip().splitlines())
    for verb in verbs.split()
}
_CHANGES_DEPENDENCIES = frozenset(
    verb for verb, events in EVENTS.items() if "dependencies" in events or verb in ("rebuild", "rb")
)
_RUN_VERBS = ("run", "run-script", "rum", "urn")
_SHORTHAND_TOOLS = ("yarn", "pnpm", "bun")
_GIVEN_ARGUMENTS = ("test", "start", "stop")


class ScriptCall(NamedTuple):
    """`names`: scripts in their order. `main`: the one that is given `rest`. `selectors`: the packages of a workspace;
    None for the package of the current folder. `installs`: the scripts of dependencies in folders run too."""

    names: tuple[str, ...]
    main: str
    rest: list[Word]
    selectors: list[str] | None
    installs: bool = False


def parse_script_call(tool: str, words: list[Word], options: ParsedOptions) -> ScriptCall | None:
    """Returns which scripts a call runs; None for a subcommand that runs none by itself."""
    selectors = _parse_selectors(options)
    verb = words[0].text if words else None
    if verb == "workspace" and tool == "yarn" and len(words) > 2:
        selectors, words = [words[1].text or ""], words[2:]
    elif verb == "workspaces" and tool == "yarn":
        at = next((n for n, word in enumerate(words) if word.text == "run"), len(words))
        selectors, words = [], words[at:]
    elif verb in ("recursive", "multi", "m") and tool == "pnpm":
        selectors, words = [], words[1:]
    verb = words[0].text if words else None
    if verb in _RUN_VERBS:
        return _name_with_hooks(words[1].text, words[2:], selectors) if len(words) > 1 else None
    if verb in EVENTS or (verb is None and tool == "yarn"):
        names, changes = EVENTS[verb or "install"], verb is None or verb in _CHANGES_DEPENDENCIES
        if changes and options.has_flag("--ignore-scripts", "--global", "--help", "-h", "--dry-run") is True:
            return None
        if changes and len(words) > 1:  # other packages: the project's own scripts do not run
            names = ("dependencies",)
        main = next((name for name in names if name in _GIVEN_ARGUMENTS and len(names) == 3), "")
        return ScriptCall(names, main, words[1:], selectors, changes)
    return _name_with_hooks(verb, words[1:], selectors) if tool in _SHORTHAND_TOOLS else None


def _name_with_hooks(name: str | None, rest: list[Word], selectors: list[str] | None) -> ScriptCall | None:
    return None if name is None else ScriptCall((f"pre{name}", name, f"post{name}"), name, rest, selectors)


def _parse_selectors(options: ParsedOptions) -> list[str] | None:
    """Returns the workspaces that options select; an empty list for all."""
    chosen = [value.text or "" for value in options.values_of("--workspace", "--filter")]
    everywhere = options.has_flag("--workspaces", "--recursive") is not False
    return [each.removeprefix("./") for each in chosen] if chosen or everywhere else None


def run_scripts(call: ScriptCall, options: ParsedOptions, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the scripts of a call, of each package that it selects."""
    within = options.value_of("--prefix") or options.value_of("--cwd")
    for root in find_nearest(("package.json",), within, context):
        yield from run_configured(root, call, context)
        if call.selectors is None:
            yield from _run_scripts_of(root, call, context)
        if call.selectors is not None or call.installs:
            root_too = not call.selectors and options.has_flag("--include-workspace-root") is not False
            own = call._replace(names=tuple(EVENTS["install"]), main="") if call.installs else call
            packages = select_packages(root, call.selectors, context) if call.selectors else find_packages(root, context)
            others = find_local_dependencies(root, context) if call.installs else ()
            for file in (*((root,) if root_too and call.selectors is not None else ()), *packages, *others):
                yield from _run_scripts_of(file, own, context)


def _run_scripts_of(file: File, call: ScriptCall, context: ExecutionContext) -> Iterator[ReportedEffect]:
    scripts = package_scripts(file.text)
    if scripts is None:
        yield interpret_step(unread_step("it does not parse as JSON"), file, context)
        return
    is_pattern = call.main.startswith("/")  # pnpm takes a regular expression
    names = tuple(scripts) if is_pattern else call.names
    if call.main == "start" and "start" not in scripts:
        yield from _run_server(file, context)
    if call.main in call.names and call.main not in scripts and not is_pattern:
        return
    for name in names:
        if name in scripts and (name != "dependencies" or call.main == name or _has_dependencies(file)):
            body = define_variables(known_word(scripts[name]), _list_variables(file.text))
            body = append_arguments(body, call.rest if name == call.main else [])
            yield interpret_step(Step(body, line_of_key(file.text, name)), file, context)


def _list_variables(text: str) -> dict[str, Word]:
    """Returns the variables that npm makes of a manifest: `npm_package_version`, `npm_package_config_out`."""
    manifest = parse_manifest(text)
    config = manifest.get("config")
    values = {"name": manifest.get("name"), "version": manifest.get("version")}
    values |= {f"config_{name}": value for name, value in config.items()} if isinstance(config, dict) else {}
    return {f"npm_package_{name}": known_word(value) for name, value in values.items() if isinstance(value, str)}


def append_arguments(body: Word, words: list[Word]) -> Word:
    for word in words:
        body = body + known_word(" ") + (known_word(shlex.quote(word.text), word.src) if word.text is not None else word)
    return body


def _run_server(file: File, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`npm start` without a script runs `node server.js`."""
    folder = file.path.rpartition("/")[0]
    if any(read_candidates((known_word("server.js"),), folder or "/", context)):
        yield Run((known_word("node"), known_word(f"{folder}/server.js")), context.origin, Carrier("npm", "start"))


def _has_dependencies(manifest: File) -> bool:
    table = parse_manifest(manifest.text)
    return any(table.get(key) for key in ("dependencies", "devDependencies", "optionalDependencies"))


_SETTING = re.compile(r"\s*(script-shell|node-options)\s*=\s*[\"']?([^\"'\n]+)")


def run_configured(root: File, call: ScriptCall, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what `.npmrc` has each script run in, what Node loads before it, and pnpm's hooks of an installation."""
    folder = root.path.rpartition("/")[0] or "/"
    if call.installs or "prepack" in call.names:
        for name in (".pnpmfile.cjs", "pnpmfile.js"):
            for code in context.read_followed_code(known_word(f"{folder.rstrip('/')}/{name}")):
                yield Interpret(
                    "javascript", code, context.origin, via=Carrier("pnpm", name), file=f"{folder}/{name}", of_project=True
                )
    for file in read_candidates((known_word(".npmrc"),), folder, context):
        for line in file.text.splitlines():
            found = _SETTING.match(line)
            if found is not None and found[1] == "script-shell":
                yield Run(
                    (known_word(found[2].strip(), file.src),),
                    context.origin,
                    Carrier("npm", "script-shell"),
                    cwd=known_word(folder),
                )
            elif found is not None:
                yield from run_preloads([known_word(word, file.src) for word in found[2].split()], context)
