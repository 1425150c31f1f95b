"""Files of a project with command lines: of test environments, hooks, processes, build systems and provisioners."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from toolgate.documents import InvalidDocument, read_json_with_comments, read_yaml
from toolgate.model.effect import ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, known_word, unknown_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, combine_programs
from toolgate.programs.argv.subcommands import program_of_forms
from toolgate.programs.tasks.code_files import LoadRow, load_code
from toolgate.programs.tasks.command_keys import COMMAND_KEYS
from toolgate.programs.tasks.doit_files import list_actions
from toolgate.programs.tasks.script_files import SCRIPT_FILES
from toolgate.programs.tasks.source_programs import DOTNET_RUN
from toolgate.programs.tasks.steps import Step, decode_json_text, unread_step
from toolgate.programs.tasks.task_files import File, find_nearest, interpret_step, read_candidates, resolve_folder
from toolgate.programs.tasks.tox_files import expand_line, list_ini_commands, list_toml_commands

Commands = Callable[[str, tuple[str, ...]], Iterator[Step]]
"""Yields the commands in a file's text for some operands of the command line. Raises InvalidDocument."""


def file_program(names: tuple[str, ...], commands: Commands, verbs: str = "", options: str = "") -> Program:
    """A program that runs the commands in a file of one of these names; with `verbs`, only if one of them is given. `options`:
    those that name another file, as an operand that begins with the first name does."""
    file_verbs, naming_options = frozenset(verbs.split()), frozenset(options.split())

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        words = {word.text for word in argv[1:]}
        if not words.isdisjoint(INFORMATION_OPTIONS) or (file_verbs and words.isdisjoint(file_verbs)):
            return
        operands = tuple(word.text or "" for word in argv[1:] if word.starts_with("-") is not True)
        chosen = tuple(_find_chosen_files(argv, naming_options, names[0])) if naming_options else ()
        files = read_candidates(chosen, resolve_folder(None, context), context) if chosen else _find_files(names, context)
        for file in files:
            try:
                found = list(commands(file.text, operands))
            except InvalidDocument as problem:
                found = [unread_step(str(problem))]
            yield from (interpret_step(each, file, context) for each in found)

    return Program(does=report_effects)


def _find_chosen_files(argv: tuple[Word, ...], options: frozenset[str], start: str) -> Iterator[Word]:
    for before, word in pairwise(argv):
        name, attached, value = word.partition("=")
        if attached and name.text in options:
            yield value
        elif before.text in options or word.file_name.startswith(start):
            yield word


def _find_files(names: tuple[str, ...], context: ExecutionContext) -> Iterator[File]:
    """Yields the nearest file of one of these names, and every match of a glob among them in the folder."""
    plain_names = tuple(name for name in names if "*" not in name)
    yield from find_nearest(plain_names, None, context) if plain_names else ()
    here = resolve_folder(None, context)
    for name in names if here is not None else ():
        if name.startswith("*"):
            for path in context.list_files(Word((f"{here}/", glob_hole("*"), name[1:]))):
                yield from read_candidates((known_word(path),), here, context)


# ---- lines of other formats


def _tox_commands(text: str, operands: tuple[str, ...]) -> Iterator[Step]:
    """Yields the commands of tox in a file of any of its forms."""
    if re.search(r"^\s*\[(?:tox|tox:tox|testenv[^\]]*)\]\s*$", text, re.MULTILINE) and "legacy_tox_ini" not in text:
        yield from list_ini_commands(text, operands, "tox:tox" if "[tox:tox]" in text else "tox")
    elif "env_run_base" in text or "[env." in text or "legacy_tox_ini" in text:
        yield from list_toml_commands(text, operands)


def _procfile_commands(text: str, operands: tuple[str, ...]) -> Iterator[Step]:
    """Yields the processes that a call names; all of them, unless it has a verb that starts none."""
    processes = [(number, *line.partition(":")) for number, line in enumerate(text.splitlines(), 1)]
    processes = [each for each in processes if each[2] and re.fullmatch(r"[\w.-]+", each[1])]
    named = [each for each in processes if each[1] in operands]
    starts = _IDLE_VERBS.isdisjoint(operands)
    yield from (Step(known_word(command.strip()), number) for number, _, _, command in named or (processes if starts else []))


_IDLE_VERBS = frozenset("check export run version help kill stop connect echo status ps quit".split())


def _meson_commands(text: str, _operands: tuple[str, ...]) -> Iterator[Step]:
    for match in re.finditer(r"\b(?:run_command|add_postconf_script|add_install_script)\s*\(([^()]*)\)", text):
        words = re.findall(r"'([^']*)'", match[1])
        if words:
            yield Step(known_word(" ".join(quote_word(word) for word in words)), text.count("\n", 0, match.start()) + 1)


def quote_word(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _terraform_commands(text: str, _operands: tuple[str, ...]) -> Iterator[Step]:
    """Terraform: the commands of local-exec, and of external data."""
    for block in re.finditer(r'(?:provisioner\s+"local-exec"|data\s+"external"\s+"[^"]*")\s*\{', text):
        body = text[block.end() : block.end() + 4000]
        heredoc = re.search(r"\bcommand\s*=\s*<<[-~]?(\w+)\n(.*?)\n\s*\1\b", body, re.DOTALL)
        line = re.search(r'\bcommand\s*=\s*"((?:[^"\\]|\\.)*)"', body)
        program = re.search(r"\bprogram\s*=\s*\[([^\]]*)\]", body)
        number = text.count("\n", 0, block.start()) + 1
        if heredoc is not None:
            yield Step(_expand_terraform_text(heredoc[2]), number)
        elif line is not None:
            yield Step(_expand_terraform_text(line[1].replace('\\"', '"').replace("\\n", "\n")), number)
        if program is not None:
            yield Step(known_word(" ".join(quote_word(word) for word in re.findall(r'"([^"]*)"', program[1]))), number)


def _expand_terraform_text(text: str) -> Word:
    result = known_word("")
    for part in re.split(r"((?<!\$)\$\{[^{}]*\})", text):
        result = result + (unknown_word(part) if re.fullmatch(r"\$\{[^{}]*\}", part) else known_word(part.replace("$${", "${")))
    return result


def _msbuild_commands(text: str, _operands: tuple[str, ...]) -> Iterator[Step]:
    for match in re.finditer(r"<Exec\b[^>]*\bCommand\s*=\s*\"([^\"]*)\"", text):
        command = match[1].replace("&quot;", '"').replace("&amp;", "&").replace("&gt;", ">").replace("&lt;", "<")
        yield Step(known_word(command), text.count("\n", 0, match.start()) + 1)


# ---- YAML and JSON


def pre_commit_entries(text: str, _operands: tuple[str, ...]) -> Iterator[Step]:
    """Yields the entries of the project's own hooks: command lines, unless in a language with its own environment."""
    top = read_yaml(text)
    for repository in _list_tables(top.get("repos") if isinstance(top, dict) else None):
        for hook in _list_tables(repository.get("hooks")) if repository.get("repo") == "local" else ():
            entry = hook.get("entry")
            if isinstance(entry, str) and hook.get("language") != "pygrep":
                arguments = [quote_word(each) for each in hook.get("args") or () if isinstance(each, str)]
                yield Step(known_word(" ".join((entry, *arguments))), _line_of_text(text, entry))


def lefthook_commands(text: str, _operands: tuple[str, ...]) -> Iterator[Step]:
    top = read_yaml(text)
    for name, hook in top.items() if isinstance(top, dict) else ():
        yield from (Step(expand_line(run), _line_of_text(text, run)) for run in _iter_runs(hook))
        scripts = hook.get("scripts") if isinstance(hook, dict) else None
        for script, options in scripts.items() if isinstance(scripts, dict) else ():
            runner = options.get("runner", "") if isinstance(options, dict) else ""
            yield Step(known_word(f"{runner} ./.lefthook/{name}/{script}".lstrip()), _line_of_text(text, str(script)))


def _iter_runs(node: object) -> Iterator[str]:
    """Yields the value of each `run`, in commands, jobs and groups of jobs."""
    if isinstance(node, list):
        yield from (run for each in node for run in _iter_runs(each))
    elif isinstance(node, dict):
        if isinstance(run := node.get("run"), str):
            yield run
        yield from (run for key in ("commands", "jobs", "group") for run in _iter_runs(node.get(key)))
        commands = node.get("commands")
        yield from (run for each in commands.values() for run in _iter_runs(each)) if isinstance(commands, dict) else ()


def _devcontainer_steps(text: str, _operands: tuple[str, ...]) -> Iterator[Step]:
    top = read_json_with_comments(decode_json_text(text))
    yield from devcontainer_commands(top if isinstance(top, dict) else {}, text)


def devcontainer_commands(top: dict[str, Any], text: str) -> Iterator[Step]:
    """Yields what runs on this machine before the container exists; other commands run inside it. `text`: the document of
    `top`."""
    command = top.get("initializeCommand")
    for each in command.values() if isinstance(command, dict) else (command,):
        body = " ".join(quote_word(str(word)) for word in each) if isinstance(each, list) else each
        if isinstance(body, str):
            yield Step(known_word(body), _line_of_text(text, "initializeCommand"))


def _list_tables(value: object) -> Iterator[dict[str, Any]]:
    yield from (each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()


def _line_of_text(text: str, part: str) -> int:
    return text.count("\n", 0, max(text.find(part.splitlines()[0] if part else part), 0)) + 1


_PROCESSES = file_program(("Procfile", "Procfile.dev"), _procfile_commands, options="-f --procfile -j")
_TERRAFORM = file_program(("*.tf",), _terraform_commands, "apply plan destroy refresh import")

_LEFTHOOK = combine_programs(
    file_program(("lefthook.yml", "lefthook.yaml", ".lefthook.yml"), lefthook_commands, "run"),
    file_program(("lefthook-local.yml", "lefthook-local.yaml", ".lefthook-local.yml"), lefthook_commands, "run"),
)
_HOOK_MANAGER = program_of_forms({"git.hooks": "uninstall; --uninstall"}, "-t,--hook-type= -c,--config= -f,--force --uninstall")

ROWS: dict[str, Program] = {
    "tox": combine_programs(
        load_code(LoadRow(("toxfile.py",))), file_program(("tox.ini", "setup.cfg", "pyproject.toml", "tox.toml"), _tox_commands)
    ),
    "doit": combine_programs(
        load_code(LoadRow(("dodo.py",), options=frozenset(("-f", "--file")))), file_program(("dodo.py",), list_actions)
    ),
    **dict.fromkeys(
        ("pre-commit", "pre_commit"),
        combine_programs(file_program((".pre-commit-config.yaml",), pre_commit_entries, "run"), _HOOK_MANAGER),
    ),
    "lefthook": combine_programs(_LEFTHOOK, COMMAND_KEYS["lefthook"], _HOOK_MANAGER),
    **dict.fromkeys(("husky", "overcommit"), _HOOK_MANAGER),
    **dict.fromkeys(("foreman", "honcho", "overmind", "goreman", "hivemind", "nf", "forego", "shoreman", "ultraman"), _PROCESSES),
    "heroku": file_program(("Procfile", "Procfile.dev"), _procfile_commands, "local", "-f --procfile"),
    "devcontainer": file_program(
        (".devcontainer/devcontainer.json", ".devcontainer.json"), _devcontainer_steps, "up build exec run-user-commands"
    ),
    "meson": file_program(("meson.build",), _meson_commands),
    **dict.fromkeys(("terraform", "tofu"), _TERRAFORM),
    **dict.fromkeys(
        ("dotnet", "msbuild"),
        combine_programs(
            SCRIPT_FILES["dotnet"],
            DOTNET_RUN,
            file_program(
                ("Directory.Build.targets", "Directory.Build.props", "*.csproj", "*.fsproj", "*.vbproj"), _msbuild_commands
            ),
        ),
    ),
}
