"""Commands of `os/exec`: made by a call, given their folder and streams, and started by another."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    NULL,
    Instance,
    ListValue,
    MapValue,
    Unknown,
    Value,
    holds_environment,
    list_alternatives,
    list_parts,
    word_of,
)
from toolgate.model.effect import Run
from toolgate.model.shells import SHELLS
from toolgate.model.word import Word, known_word

from .streams import BUFFERS, content_of_stream, is_of_unknown_caller, pour


def _make_command(skipped: int) -> SpecialCall:
    """Returns a handler for `exec.Command(name, args..)`, or for a call with a context before these."""

    def call(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        words = arguments.positional[skipped:]
        made = Instance("exec.Cmd", {"Args": ListValue("array", words, arguments.rest)})
        if words:
            made.fields["Path"] = words[0]
        _list_commands(evaluation).append(made)
        return made

    return call


def _list_commands(evaluation: Evaluation) -> list[Instance]:
    return getattr(evaluation, "commands", [])


def start_command(evaluation: Evaluation, command: Instance) -> Value:
    """Reports a command with its folder, its input and its environment; returns its output."""
    report, fields = evaluation.report, command.fields
    argv = fields.get("Args") or ListValue("array", [fields[name] for name in ("Path",) if name in fields])
    if isinstance(argv, ListValue) and not argv.items and argv.rest is None and "Path" in fields:
        argv = ListValue("array", (fields["Path"],))
    given = fields.get("Stdin", NULL)
    stdin = None if given is NULL else word_of(content_of_stream(evaluation, given))
    words = [part for part in list_parts(argv) if part is not NULL]
    if any(holds_environment(each, 1) for each in words):
        report.operation("environment.print")
    if _is_of_unknown_caller(evaluation, words) or _is_built_here(evaluation, words):
        return report.unknown_output("the output of a command")
    first_effect = len(report.effects)
    report.run(argv, FALSE, fields.get("Dir"), stdin, _environment_of(fields.get("Env")))
    if _is_shell(words) and any(_is_connection(fields.get(name)) for name in ("Stdin", "Stdout")):
        report.operation("network.shell")
    if any(isinstance(each, Instance) for each in list_alternatives(fields.get("Stdout", NULL))):
        started = report.effects[first_effect:]
        report.effects[first_effect:] = [each._replace(is_captured=True) if isinstance(each, Run) else each for each in started]
    output = report.unknown_output("the output of a command")
    for name in ("Stdout", "Stderr"):
        for each in list_alternatives(fields.get(name, NULL)):
            if isinstance(each, Instance) and each.type in BUFFERS:
                pour(evaluation, each, output)
    return output


def _is_of_unknown_caller(evaluation: Evaluation, words: list[Value]) -> bool:
    """Returns whether the program, or the code for a shell, is given to a function that nothing called."""
    last = words[-1] if _is_shell(words) and words[1:] else words[0] if words else NULL
    return is_of_unknown_caller(evaluation, word_of(last))


def _is_built_here(evaluation: Evaluation, words: list[Value]) -> bool:
    """Returns whether the program is one that the text builds: `go build -o program`."""
    program = word_of(words[0]) if words else None
    builds = (each.argv for each in evaluation.report.effects if isinstance(each, Run) and len(each.argv) > 2)
    return any(argv[0].text == "go" and argv[1].text == "build" and program in argv[2:] for argv in builds)


def _environment_of(value: Value | None) -> MapValue | None:
    """Returns the variables of a command, of which each is a text `NAME=value`."""
    if not isinstance(value, ListValue):
        return None
    pairs = [each.partition("=") for each in value.items if isinstance(each, Word)]
    return MapValue([(name.text, word) for name, is_set, word in pairs if is_set and name.text])


def _is_shell(words: list[Value]) -> bool:
    program = word_of(words[0]).tail if words else ""
    return program.rpartition("/")[2] in SHELLS


def _is_connection(value: Value | None) -> bool:
    return any(isinstance(each, Instance) and each.type == "net.Conn" for each in list_alternatives(value or NULL))


def _start(gives: str) -> SpecialCall:
    """Returns a handler that starts a command. `gives`: what it returns, the `output` or an `error`."""

    def call(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
        if not isinstance(receiver, Instance):
            return None
        waiting = _list_commands(evaluation)
        waiting[:] = [each for each in waiting if each is not receiver]
        if gives != "output":
            evaluation.called["spawn"] = evaluation.called.get("spawn", 0) + (gives == "process")
        if gives == "output":
            evaluation.journal.put_field(receiver, "Stdout", Instance("exec.Output"))
        output = start_command(evaluation, receiver)
        return output if gives == "output" else Unknown("an error")

    return call


def _pipe(name: str) -> SpecialCall:
    """Returns a handler for a command's pipe: its output, or a writer to its input."""

    def call(evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
        if name == "Stdin" and isinstance(receiver, Instance):
            return Instance("exec.Pipe", {"command": receiver})
        if isinstance(receiver, Instance):
            evaluation.journal.put_field(receiver, "Stdout", Instance("exec.Output"))
        return evaluation.report.unknown_output("the output of a command")

    return call


def feed_command(evaluation: Evaluation, pipe: Instance, data: Value) -> None:
    """Gives a command more input, and reports it with all of that."""
    command = pipe.fields["command"]
    assert isinstance(command, Instance)
    before = command.fields.get("Stdin", NULL)
    evaluation.journal.put_field(command, "Stdin", data if before is NULL else evaluation.concatenate([before, data]))
    start_command(evaluation, command)


def _replace_process(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`syscall.Exec(path, argv, environment)`, `os.StartProcess(path, argv, attributes)`."""
    if not arguments.positional:
        return None
    path, *more = arguments.positional
    words = more[0] if more else None
    rest = words.items[1:] if isinstance(words, ListValue) else ()
    further = words.rest if isinstance(words, ListValue) else words
    evaluation.called["spawn"] = evaluation.called.get("spawn", 0) + 1
    evaluation.report.run(ListValue("array", (path, *rest), further), FALSE)
    return Instance("os.Process")


def _describe_command(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    argv = receiver.fields.get("Args") if isinstance(receiver, Instance) else None
    parts = [word_of(each) for each in list_parts(argv)] if argv is not None else []
    joined = parts[0] if parts else Word()
    for each in parts[1:]:
        joined = joined + known_word(" ") + each
    return joined


def _start_at_once(skipped: int, gives: str = "error") -> SpecialCall:
    """Returns a handler for Mage's `sh.Run(name, args..)`, or for a call with other arguments before these. `gives`: what it
    returns, the `output` or an `error`."""
    make = _make_command(skipped)

    def call(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
        command = make(evaluation, receiver, arguments)
        if not isinstance(command, Instance):
            return None
        output = start_command(evaluation, command)
        return output if gives == "output" else Unknown("an error")

    return call


CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("sh.Run", "sh.RunV"), _start_at_once(0)),
    **dict.fromkeys(("sh.RunWith", "sh.RunWithV"), _start_at_once(1)),
    "sh.Output": _start_at_once(0, "output"),
    "sh.OutputWith": _start_at_once(1, "output"),
    "sh.Exec": _start_at_once(3),
    "exec.Command": _make_command(0),
    "exec.CommandContext": _make_command(1),
    **dict.fromkeys(("exec.Cmd.Output", "exec.Cmd.CombinedOutput"), _start("output")),
    "exec.Cmd.Run": _start("error"),
    "exec.Cmd.Start": _start("process"),
    **dict.fromkeys(("exec.Cmd.StdoutPipe", "exec.Cmd.StderrPipe"), _pipe("Stdout")),
    "exec.Cmd.StdinPipe": _pipe("Stdin"),
    "exec.Cmd.String": _describe_command,
    **dict.fromkeys(
        ("syscall.Exec", "unix.Exec", "os.StartProcess", "syscall.ForkExec", "syscall.StartProcess"), _replace_process
    ),
}
HARMFUL = frozenset(CALLS)
