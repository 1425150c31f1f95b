"""Settings in JSON, YAML or TOML whose keys hold command lines: of watchers, process managers, local runs of pipelines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from toolgate.documents import InvalidDocument, read_json_with_comments, read_yaml
from toolgate.model.effect import ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program

from . import MODULES
from .steps import Step, decode_json_text, unread_step
from .task_files import find_nearest, interpret_step, read_candidates, resolve_folder


@dataclass(frozen=True, slots=True)
class CommandKeys:
    """`files`: the names of the settings, which are read unless a call names other settings of their format. `keys`: paths to the commands in them, `*` for any key; a path that ends with `!` leads
    to the words of one command. `verbs`: the subcommands that run any; all, if there is none."""

    files: tuple[str, ...]
    keys: tuple[str, ...]
    verbs: frozenset[str] = frozenset()

    def report_effects(self, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        words = {word.text or "" for word in argv[1:]}
        if not words.isdisjoint(INFORMATION_OPTIONS) or (self.verbs and words.isdisjoint(self.verbs)):
            return
        named = tuple(value for value in map(_value_of, argv[1:]) if value.tail.endswith(_ENDINGS))
        for file in read_candidates(named, resolve_folder(None, context), context):
            yield from (interpret_step(step, file, context) for step in list_commands(file.text, file.path, self.keys, words))
        for name in self.files if not named else ():
            file_name, _, key = name.partition("#")
            for file in find_nearest((file_name,), None, context):
                steps = list_commands(file.text, file_name, tuple(f"{key}.{each}".lstrip(".") for each in self.keys), words)
                yield from (interpret_step(step, file, context) for step in steps)


_ENDINGS = (".yml", ".yaml", ".toml", ".json")


def _value_of(word: Word) -> Word:
    """Returns a word, or the value in it if it is an option with one."""
    _, attached, value = word.partition("=")
    return value if attached and word.starts_with("-") is True else word


def list_commands(text: str, name: str, keys: tuple[str, ...], called: set[str]) -> Iterator[Step]:
    """Yields the commands at these keys of a document; of the entries that a call names, if it names any."""
    try:
        top = _read_document(text, name)
    except InvalidDocument as problem:
        yield unread_step(str(problem))
        return
    found = [(key, *each) for key in keys for each in _find_values(top, key.rstrip("!").split("."), ())]
    named = [each for each in found if not called.isdisjoint(each[1])]
    for key, _, value in named or found:
        commands = [" ".join(map(_quote, value))] if key.endswith("!") and isinstance(value, list) else _as_list(value)
        yield from (Step(known_word(command), _find_line(text, command)) for command in commands if isinstance(command, str))


def _read_document(text: str, name: str) -> Any:
    import tomllib  # slow to import, and rarely needed

    if name.endswith(".toml"):
        try:
            return tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as problem:
            raise InvalidDocument("it does not parse as TOML") from problem
    if name.endswith(".json"):
        return read_json_with_comments(decode_json_text(text))
    documents = [read_yaml(part) for part in _DOCUMENT_START.split(text) if part.strip()]
    return documents[0] if len(documents) == 1 else documents


_DOCUMENT_START = re.compile(r"^---(?:[ \t].*)?$", re.MULTILINE)


def _find_values(node: Any, path: list[str], chosen: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yields the values at a path, each with the keys that its stars stand for."""
    if not path:
        yield chosen, node
    elif isinstance(node, list):
        yield from (found for each in node for found in _find_values(each, path[path[0] == "*" :], chosen))
    elif isinstance(node, dict):
        for key in [each for each in node if fnmatchcase(str(each), path[0])] if "*" in path[0] else [path[0]]:
            more = (str(key),) if "*" in path[0] else ()
            yield from _find_values(node[key], path[1:], (*chosen, *more)) if key in node else ()


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _quote(word: object) -> str:
    return "'" + str(word).replace("'", "'\\''") + "'"


def _find_line(text: str, part: str) -> int:
    return text.count("\n", 0, max(text.find(part.splitlines()[0] if part else part), 0)) + 1


_TABLE = """
nodemon | nodemon.json package.json#nodemonConfig | exec events.* execMap.*
mprocs | mprocs.yaml mprocs.json | procs.*.shell procs.*.cmd!
process-compose | process-compose.yaml process-compose.yml | processes.*.command
bacon | bacon.toml .bacon.toml | jobs.*.command!
air | .air.toml air.toml | build.cmd build.bin build.full_bin build.pre_cmd build.post_cmd
goreleaser | .goreleaser.yaml .goreleaser.yml goreleaser.yaml goreleaser.yml | before.hooks builds.*.hooks.pre builds.*.hooks.post | build release
cargo-make makers | Makefile.toml | tasks.*.script tasks.*.command
gitlab-ci-local | .gitlab-ci.yml | *.script *.before_script *.after_script before_script after_script
gitlab-runner | .gitlab-ci.yml | *.script *.before_script *.after_script before_script after_script | exec
devbox | devbox.json | shell.scripts.* shell.init_hook | run shell
lefthook | lefthook.toml .lefthook.toml lefthook.json .lefthook.json | *.commands.*.run *.jobs.*.run *.scripts.*.runner | run
nx | project.json | targets.*.command targets.*.options.command targets.*.options.commands targets.*.options.commands.*.command
pm2 | ecosystem.json process.json | apps.*.script
buildkite-agent bk | .buildkite/pipeline.yml .buildkite/pipeline.yaml | steps.*.command steps.*.commands steps.*.steps.*.command | bootstrap run
drone | .drone.yml | steps.*.commands | exec
woodpecker-cli woodpecker | .woodpecker.yml .woodpecker.yaml | steps.*.commands pipeline.*.commands | exec
circleci | .circleci/config.yml | jobs.*.steps.*.run jobs.*.steps.*.run.command commands.*.steps.*.run commands.*.steps.*.run.command | local
bitrise | bitrise.yml | workflows.*.steps.*.*.inputs.*.content | run trigger
cirrus | .cirrus.yml | *.*script | run
fly | task.yml | run.args.* | execute e
conda | meta.yaml recipe/meta.yaml conda.recipe/meta.yaml | build.script | build
mdbook | book.toml | preprocessor.*.command output.*.command | build serve test watch
tmuxinator | .tmuxinator.yml | on_project_start pre pre_window on_project_first_start windows.*.* windows.*.*.panes.* windows.*.*.panes.*.* | start local
tmuxp | .tmuxp.yaml .tmuxp.yml | before_script shell_command_before windows.*.shell_command_before windows.*.panes.* windows.*.panes.*.shell_command windows.*.panes.*.shell_command.cmd | load
"""


def _parse_table() -> Iterator[tuple[str, CommandKeys]]:
    for line in _TABLE.strip().splitlines():
        names, files, keys, verbs = (cell.split() for cell in f"{line}|".split("|")[:4])
        row = CommandKeys(tuple(files), tuple(keys), frozenset(verbs))
        yield from ((name, row) for name in names)


COMMAND_KEYS: dict[str, Program] = {name: Program(does=row.report_effects) for name, row in _parse_table()}
ROWS: dict[str, Program] = {name: COMMAND_KEYS[name] for name in MODULES["command_keys"].split()}
