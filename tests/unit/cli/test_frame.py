"""The frame that every verb stands in: help, exit codes, and what is loaded when."""

import subprocess
import sys

import click
import pytest

from toolgate.cli import VERBS, main, toolgate
from toolgate.model.errors import PolicyError, ToolgateError


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_loads_and_its_help_has_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out
    verb = toolgate.get_command(click.Context(toolgate), name)
    subs = list(verb.commands) if isinstance(verb, click.Group) else []
    for sub in subs:
        assert main([name, sub, "--help"]) == 0
        text += capsys.readouterr().out
    assert text.count("Example") >= max(1, len(subs))
    assert VERBS[name].does.endswith(".")


def test_help_lists_every_verb_and_loads_none() -> None:
    program = (
        "import sys\nfrom toolgate.cli import main\nmain(['--help'])\n"
        "print([name for name in sys.modules if name.startswith(('toolgate.cli.', 'rich', 'msgspec', 'toolgate.rules'))])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"
    assert all(f"  {name} " in result.stdout and verb.does[:30] in result.stdout for name, verb in VERBS.items())


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--version"], 0, "toolgate 0."),
        ([], 64, "Usage: toolgate"),
        (["polic"], 64, "No such command 'polic'"),
        (["policy", "show", "--jsn"], 64, "No such option"),
        (["policy", "schema", "nobody"], 64, "'nobody' is not one of"),
    ],
)
def test_exit_codes(arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == code
    captured = capsys.readouterr()
    assert said in captured.out + captured.err


@pytest.mark.parametrize(
    ("problem", "code", "said"),
    [
        (PolicyError("p.toml", "human", "no", "say yes", 3), 70, "toolgate: p.toml:3: human: no; say yes\n"),
        (ToolgateError("that will not do"), 1, "toolgate: that will not do\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_what_goes_wrong_is_a_line_not_a_traceback(
    problem: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command()
    def failing() -> None:
        raise problem

    monkeypatch.setattr(toolgate, "get_command", lambda _context, _name: failing)
    assert main(["failing"]) == code
    assert capsys.readouterr().err.strip() == said.strip()


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = f"{sys.executable} -m toolgate policy schema user | head -1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("{\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert "_TOOLGATE_COMPLETE" in capsys.readouterr().out
