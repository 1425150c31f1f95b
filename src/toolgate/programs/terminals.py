"""Terminal multiplexers and similar: a command in another window, keys typed by a program, a recorded session."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .keyboards import pressed
from .options import Flags
from .program import Program, text_of, via

_STARTS = frozenset(
    "new-session new new-window neww split-window splitw respawn-pane respawnp respawn-window respawnw run-shell run"
    " popup display-popup if-shell if pipe-pane".split()
)


_ENTER = re.compile(r"\^[MJ]|\\(?:[nr]|01[25])")
"""How screen spells the key that ends a line."""


def multiplexer(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """tmux and screen: a command for a new window, or keys typed into an existing one."""
    words = [word for word in argv[1:] if word.text is not None]
    verb = next((word.text for word in words if not (word.text or "").startswith("-")), "") or ""
    if via(argv) == "screen":
        given = Flags("-d -m -D -R -r= -S= -c=read -h= -t= -T= -L -X -x -A -q -ls -list -wipe -dm -dmS= -dRR").read(
            argv, stop=True
        )
        rest = tuple(argv[given.rest :])
        if given.flag("-X") is True and rest and rest[0].text == "quit" and given.value("-S") is None:
            yield Operation("process.kill", seen.origin, known("the session"), (("everything", True), ("by_name", False)))
        elif given.flag("-X") is True and rest and rest[0].text == "stuff":
            told = text_of(list(rest[1:]))
            yield from pressed(
                [known(_ENTER.sub("", told.text).strip("\r\n"))] if told.text is not None else [told], seen, given.value("-S")
            )
            entered = known(_ENTER.sub("\n", told.text), told.src) if told.text is not None else told
            yield Interpret("shell", entered, seen.origin, via="screen -X stuff")
        elif rest:
            yield Run(rest, seen.origin, "screen")
    elif verb == "kill-server" and not any(word.starts("-L") is True or word.starts("-S") is True for word in argv[1:]):
        yield Operation("process.kill", seen.origin, known("every session of tmux"), (("everything", True), ("by_name", False)))
    elif verb in ("send-keys", "send"):
        at = next(n for n, word in enumerate(argv) if word.text == verb)
        given = Flags("-t= -l -H -R -M -X -N= -F -K").read(argv[at:])
        typed = given.operands
        if given.flag("-X") is not True:
            yield from pressed(list(typed), seen, given.value("-t"))
        keys = [word for word in typed if word.text not in ("Enter", "C-m", "KPEnter", "Space")]
        yield Interpret("shell", text_of(keys), seen.origin, via=f"tmux {verb}")
    elif verb in ("paste-buffer", "pasteb"):
        given = Flags("-d -p -r -b= -s= -t=").read(argv)
        flags = (("answers", True), ("elsewhere", False))
        yield Operation("terminal.type", seen.origin, given.value("-t") or known("the current pane"), flags)
    elif verb:
        at = next(n for n, word in enumerate(argv) if word.text == verb)
        given = Flags("-d -n= -s= -t= -c= -x= -y= -A -D -E -P -F= -e= -h -v -b -l= -p= -f -k -a -I -Z -S= -T= -w=").read(
            argv[at:], stop=True
        )
        rest_words = list(argv[at:][given.rest :])
        if verb in _STARTS and rest_words:
            yield Interpret("shell", text_of(rest_words), seen.origin, via=f"tmux {verb}")


def expect(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags("-c= -f=read -b= -d -i -n -N -D=").read(argv, stop=True)
    lines = () if argv[given.rest :] or given.value("-f") is not None else (seen.stdin,)
    for code in tuple(given.all("-c")) or lines:
        found = False
        for part in ("spawn ", "exec ", "system "):
            _, there, command = code.partition(part)
            if there:
                found = True
                yield Interpret("shell", command.partition(";")[0], seen.origin, via="expect")
        if not found:
            yield Interpret("expect", code, seen.origin, via="expect -c")


def script(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags("-a,--append -c,--command= -e,--return -f,--flush -q,--quiet -t=? -O= -I= -B= -E= -m= -o= -T=").read(argv)
    for code in given.all("--command"):
        yield Interpret("shell", code, seen.origin, via="script -c")
    for word in given.operands[:1]:
        yield from Program(operands="write").effects((argv[0], word), seen)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("tmux", "byobu"), Program(does=multiplexer)),
    "screen": Program(does=multiplexer),
    "expect": Program(does=expect),
    "script": Program(does=script),
}
