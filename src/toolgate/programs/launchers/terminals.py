"""Terminal multiplexers and similar: a command in another window, keys typed by a program, a recorded session."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, Operation, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, join_arguments
from toolgate.programs.interpreters.script_interpreters import run_script_file

from .agents import AGENTS
from .simulated_input import press_keys

_RUN_VERBS = frozenset(
    "new-session new new-window neww split-window splitw respawn-pane respawnp respawn-window respawnw run-shell run"
    " popup display-popup if-shell if pipe-pane".split()
)


_SCREEN_ENTER = re.compile(r"\^[MJ]|\\(?:[nr]|01[25])")
"""How screen spells the key that ends a line."""


_SCREEN = Flags("-d -m -D -R -r= -S= -c=read -h= -t= -T= -L -X -x -A -q -ls -list -wipe -dm -dmS= -dRR -p=")
_TMUX_KEYS = Flags("-t= -l -H -R -M -X -N= -F -K")
_TMUX_WINDOW = Flags("-d -n= -s= -t= -c= -x= -y= -A -D -E -P -F= -e= -h -v -b -l= -p= -f -k -a -I -Z -S= -T= -w=")
_EVERYTHING = (("everything", True), ("by_name", False))


def screen(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """screen: a command in a new window, or one of its own for a session, which may type."""
    options = _SCREEN.parse(argv, stop=True)
    rest = tuple(argv[options.rest :])
    own_command = rest[0].text if rest and options.has_flag("-X") is True else None
    if own_command == "quit" and options.value_of("-S") is None:
        yield Operation("process.kill", context.origin, known_word("the session"), _EVERYTHING)
    elif own_command == "stuff":
        typed = join_arguments(list(rest[1:]))
        shown, entered = typed, typed
        if typed.text is not None:
            shown = known_word(_SCREEN_ENTER.sub("", typed.text).strip("\r\n"))
            entered = known_word(_SCREEN_ENTER.sub("\n", typed.text), typed.src)
        yield from press_keys([shown], context, options.value_of("-S"))
        yield Interpret("shell", entered, context.origin, via=Carrier("screen", "-X stuff"))
    elif rest:
        yield Run(rest, context.origin, Carrier("screen"))


def tmux(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """tmux: a command in a new window, or keys typed into an existing one."""
    at = next((n for n, word in enumerate(argv) if n and word.text and not word.text.startswith("-")), None)
    if at is None:
        return
    verb = argv[at].text or ""
    if verb == "kill-server" and not any(word.starts_with("-L") is True or word.starts_with("-S") is True for word in argv[1:]):
        yield Operation("process.kill", context.origin, known_word("every session of tmux"), _EVERYTHING)
    elif verb in ("send-keys", "send"):
        options = _TMUX_KEYS.parse(argv[at:])
        if options.has_flag("-X") is not True:
            yield from press_keys(list(options.operands), context, options.value_of("-t"))
        keys = [word for word in options.operands if word.text not in ("Enter", "C-m", "KPEnter", "Space")]
        yield Interpret("shell", join_arguments(keys), context.origin, via=Carrier("tmux", verb))
    elif verb in ("set", "set-option", "set-hook"):
        yield from _run_from_option(argv, context)
    elif verb in ("paste-buffer", "pasteb"):
        options = Flags("-d -p -r -b= -s= -t=").parse(argv)
        flags = (("answers", True), ("elsewhere", False))
        yield Operation("terminal.type", context.origin, options.value_of("-t") or known_word("the current pane"), flags)
    elif verb in _RUN_VERBS:
        rest = list(argv[at:][_TMUX_WINDOW.parse(argv[at:], stop=True).rest :])
        if rest:
            yield Interpret("shell", join_arguments(rest), context.origin, via=Carrier("tmux", verb))


def _run_from_option(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """tmux: an option may hold a command line, and a hook holds a command of tmux."""
    verb = argv[1].display_text
    for value in argv[2:]:
        if " " in value.head:
            code = known_word("tmux ") + value if verb == "set-hook" else value
            yield Interpret("shell", code, context.origin, via=Carrier("tmux", verb))


def expect(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """expect: a script of Tcl from an option, a file or standard input. It starts programs, and types into them."""
    options = Flags("-c= -f=read -b= -d -i -n -N -D=").parse(argv, stop=True)
    files = (*options.values_of("-f", "-b"), *options.operands[:1])
    for file in files:
        yield from run_script_file("expect", file, (), context)
    codes = tuple(options.values_of("-c"))
    for code in codes or (() if files else (context.stdin,)):
        yield Interpret("expect", code, context.origin, via=Carrier("expect", "-c"))
    for code in (
        *codes,
        *(text for file in files for text in context.read_alternatives(file)),
        *(() if files else (context.stdin,)),
    ):
        _, is_there, command = code.partition("spawn ")
        if is_there:
            yield from _answer_agent(command, code, context)


def _answer_agent(command: Word, code: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reports that a script starts an agent and types what it asks for."""
    program = (command.head.split() or [""])[0]
    if program.rpartition("/")[2] in AGENTS and code.contains("send ") is True:
        flags = (("answers", True), ("elsewhere", False))
        yield Operation("terminal.type", context.origin, known_word(f"the session of {program} that it starts"), flags)


def script(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags("-a,--append -c,--command= -e,--return -f,--flush -q,--quiet -t=? -O= -I= -B= -E= -m= -o= -T=").parse(argv)
    for code in options.values_of("--command"):
        yield Interpret("shell", code, context.origin, via=Carrier("script", "-c"))
    for word in options.operands[:1]:
        yield from Program(operands="write").effects_of_call((argv[0], word), context)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("tmux", "byobu"), Program(does=tmux)),
    "screen": Program(does=screen),
    "expect": Program(does=expect),
    "script": Program(does=script),
}
