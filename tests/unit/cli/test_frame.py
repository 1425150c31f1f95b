"""Tests what all verbs share: help, exit codes, and what is imported when."""

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from toolgate.cli import GROUPS, HIDDEN, VERBS, main, toolgate
from toolgate.model.errors import PolicyError, ToolgateError


def iter_commands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    for sub, inner in sorted(command.commands.items()) if isinstance(command, click.Group) else ():
        yield from iter_commands(f"{name} {sub}", inner)


def get_verb(name: str) -> click.Command:
    verb = toolgate.get_command(click.Context(toolgate), name)
    assert verb is not None
    return verb


@pytest.mark.parametrize("name", VERBS)
def test_every_help_has_two_examples_and_fits_80_columns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert VERBS[name].does.endswith(".")
    for path, _ in iter_commands(name, get_verb(name)):
        assert main([*path.split(), "--help"]) == 0
        text = capsys.readouterr().out
        assert [line for line in text.splitlines() if len(line) > 80] == []
        assert not re.search(r"[a-z]\.\.\.$", text.partition("Commands:")[2], re.MULTILINE), "a sentence is cut"
        examples = [line for line in text.partition("Example")[2].splitlines() if "toolgate " in line]
        assert len(examples) >= (2 if path == name else 1), path


def test_help_lists_every_verb_and_loads_none() -> None:
    program = (
        "import sys\nfrom toolgate.cli import main\nmain(['--help'])\n"
        "print([name for name in sys.modules if name.startswith(('toolgate.cli.', 'rich', 'msgspec', 'toolgate.rules'))"
        " and name != 'toolgate.cli.command_groups'])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"
    for title, verbs in GROUPS.items():
        assert f"\n{title}:\n" in result.stdout
        assert all(f"  {name} " in result.stdout and verb.does[:30] in result.stdout for name, verb in verbs.items())
    assert not any(f"\n  {name} " in result.stdout for name in HIDDEN)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--version"], 0, "toolgate 0."),
        ([], 64, "Usage: toolgate"),
        (["polic"], 64, "There is no command 'polic'. Did you mean policy?"),
        (["policy", "show", "--jsn"], 64, "No such option"),
        (["policy", "schema", "nobody"], 64, "'nobody' is not one of"),
    ],
)
def test_exit_codes(arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == code
    captured = capsys.readouterr()
    assert message in captured.out + captured.err


@pytest.mark.parametrize(
    ("problem", "code", "message"),
    [
        (PolicyError("p.toml", "human", "no", "say yes", 3), 70, "toolgate: p.toml:3: human: no; say yes\n"),
        (ToolgateError("that will not do"), 1, "toolgate: that will not do\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_what_goes_wrong_is_a_line_not_a_traceback(
    problem: BaseException, code: int, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command()
    def raise_problem() -> None:
        raise problem

    monkeypatch.setattr(toolgate, "get_command", lambda _context, _name: raise_problem)
    assert main(["failing"]) == code
    assert capsys.readouterr().err.strip() == message.strip()


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = f"{sys.executable} -m toolgate policy schema user | head -1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("{\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "_TOOLGATE_COMPLETE" in capsys.readouterr().out
