"""Simulated keys, typed into another terminal or whatever has the focus; and terminals opened with a command."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .options import Flags
from .program import Program, text_of, via

_SEND = Flags(
    "-m,--match= -t, --match-tab= --all --exclude-active --stdin --from-file=read --bracketed-paste= --no-paste --pane-id="
)
_OPEN = Flags("--type= --cwd= --title= --env= --hold -d= --direction= -n= --name= -f --floating -i --in-place -c --close-on-exit")


_ANSWERS = re.compile(
    r"(?:y|yes|yes,.*|n|no|a|always|ok|allow.*|approve.*|accept.*|proceed|continue|[0-9])?", re.IGNORECASE | re.DOTALL
)
_KEYS = frozenset(
    "enter return kp_enter kpenter c-m space tab escape esc up down left right btab 13 10 shift+tab s-tab 28:1 28:0 15:1 15:0".split()
)
"""Keys that choose or confirm in a dialogue, under their names in tmux, xdotool, wtype and ydotool."""


def pressed(words: list[Word], seen: Seen, terminal: Word | None = None) -> Iterator[Operation]:
    """Report keys that may answer a question: only a choice and its confirmation. `terminal`: the one they are sent to, if the
    call names it."""
    texts = [_plain(word) for word in words if (word.text or "").lower() not in _KEYS]
    if words and _ANSWERS.fullmatch(" ".join(texts).strip()) is not None:
        flags = (("answers", True), ("elsewhere", _is_elsewhere(terminal, seen)))
        yield Operation("terminal.type", seen.origin, terminal or known("whatever has the focus"), flags)


def _plain(word: Word) -> str:
    """Return the typed text without its line ends; unknown text is no answer."""
    return re.sub(r"\\[nrt]|[\r\n]", "", word.text) if word.text is not None else "?"


def _is_elsewhere(terminal: Word | None, seen: Seen) -> bool:
    """Tell whether it is a named terminal, or a display that this call chose. Numbers are the user's own windows."""
    if seen.variable("DISPLAY") is not None or seen.variable("WAYLAND_DISPLAY") is not None:
        return True
    return terminal is not None and re.match(r"=?[A-Za-z_][\w-]{1,}", terminal.text or "") is not None


def typed(words: tuple[Word, ...], seen: Seen, how: str, flags: Flags = _SEND) -> Iterator[Reported]:
    """Type a text: the shell that reads the keys runs it."""
    given = flags.read(words)
    if text := list(given.operands):
        terminal = given.value("--match-tab", "--pane-id", "--window")
        yield from pressed(text, seen, given.value("--match") or terminal)
        yield Interpret("shell", text_of(text), seen.origin, via=how)


def opened(words: tuple[Word, ...], seen: Seen, how: str, flags: Flags = _OPEN) -> Iterator[Reported]:
    """Run a command in a new window."""
    given = flags.read(words, stop=True)
    if rest := words[given.rest :]:
        yield Run(rest, seen.origin, how)


def remote(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`kitty @ send-text TEXT`, `wezterm cli spawn -- COMMAND`, `zellij action write-chars TEXT`: the verb decides."""
    for n, word in enumerate(argv[1:], 1):
        if word.text == "ssh":
            yield Run(argv[n:], seen.origin, via(argv))
            return
        if word.text in _PRESSING:
            yield from pressed(_SEND.read(argv[n:]).operands, seen, _SEND.read(argv[n:]).value("--match", "--pane-id"))
            return
        if word.text in _TYPING:
            yield from typed(argv[n:], seen, via(argv, word.text or ""))
            return
        if word.text in _OPENING:
            yield from opened(argv[n:], seen, via(argv, word.text or ""))
            return
    if via(argv) == "kitty":
        yield from opened(
            argv, seen, "kitty", Flags("-o= -T= --title= --class= -d= --directory= --detach --hold -1 --single-instance")
        )


_PRESSING = ("send-key", "write")
_TYPING = ("send-text", "write-chars")
_OPENING = ("launch", "spawn", "split-pane", "start", "run", "new-pane")


def automation(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`xdotool type TEXT`, `ydotool type TEXT`: keys for the window with the focus. Words after a text are text, too."""
    for n, word in enumerate(argv[1:], 1):
        if word.text == "type":
            yield from typed(argv[n:], seen, via(argv, "type"), _TYPED)
            return
        if word.text in ("key", "keydown"):
            given = _TYPED.read(argv[n:])
            yield from pressed(list(given.operands), seen, given.value("--window"))
            return


_TYPED = Flags(
    "--window= --delay= -d= --clearmodifiers --args= --terminator= --file=read -f=read -D= --key-delay= --key-hold= -H= --escape="
)


def dotool(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """dotool and xte take actions: `key enter`, `type TEXT`, `str TEXT`; dotool from standard input, xte as words."""
    actions = [word.text for word in argv[1:] if word.text] if via(argv) == "xte" else (seen.stdin.text or "").splitlines()
    for action in actions:
        verb, _, rest = action.strip().partition(" ")
        if verb in ("key", "type", "str", "keydown"):
            yield from pressed([known(rest)], seen)


def wtype(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    flags = Flags("-M= -m= -P= -p= -k= -d= -s=")
    given = flags.read(argv)
    if not given.operands:
        yield from pressed(list(given.all("-k", "-P")), seen)
    yield from typed(argv, seen, "wtype", flags)


def keystrokes(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`osascript -e 'tell application "System Events" to keystroke return'`: the window with the focus gets the keys."""
    for word in argv[1:]:
        for stroke in re.finditer(r"\bkeystroke\s+(?:\"([^\"]*)\"|\w+)|\bkey code\s+(?:36|76|48|53)\b", word.text or ""):
            yield from pressed([known(stroke[1] or "")], seen)


def emulator(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A command follows `-e`, `-x` or `--`: as words, or as one text for a shell."""
    marks = [n for n, word in enumerate(argv) if word.text in ("-e", "-x", "--", "--command", "--execute")]
    if not marks:
        return
    rest = argv[marks[0] + 1 :]
    if len(rest) == 1:
        yield Interpret("shell", rest[0], seen.origin, via=via(argv, "-e"))
    elif rest:
        yield Run(rest, seen.origin, via(argv, "-e"))


def window_manager(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`i3-msg exec COMMAND`, `hyprctl dispatch exec COMMAND` run the command in a shell of the user."""
    line = text_of(list(argv[1:]))
    found = re.search(r"\bexec(_always)?\b(\s+--?[\w-]+)*\s+(?=\S)", line.head)
    if found:
        yield Interpret("shell", line.cut(found.end()), seen.origin, via=via(argv, "exec"))


_EMULATORS = "gnome-terminal konsole alacritty foot xfce4-terminal mate-terminal lxterminal terminator tilix urxvt rxvt st x-terminal-emulator uxterm lxterm"
ROWS: dict[str, Program] = {
    **dict.fromkeys(("kitty", "kitten", "wezterm", "zellij"), Program(does=remote)),
    **dict.fromkeys(("dotool", "xte"), Program(does=dotool)),
    **dict.fromkeys(("xdotool", "ydotool"), Program(does=automation)),
    "wtype": Program(does=wtype),
    **dict.fromkeys(("i3-msg", "swaymsg", "hyprctl"), Program(does=window_manager)),
    **dict.fromkeys(_EMULATORS.split(), Program(does=emulator)),
}
