"""Keys typed for somebody: into another terminal's window, or wherever the user is; and terminals opened with a command."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word

from .options import Flags
from .program import Program, text_of, via

_SEND = Flags(
    "-m= --match= -t= --match-tab= --all --exclude-active --stdin --from-file=read --bracketed-paste= --no-paste --pane-id="
)
_OPEN = Flags("--type= --cwd= --title= --env= --hold -d= --direction= -n= --name= -f --floating -i --in-place -c --close-on-exit")


def typed(words: tuple[Word, ...], seen: Seen, how: str, flags: Flags = _SEND) -> Iterator[Reported]:
    """The shell that reads the keys runs them."""
    if text := list(flags.read(words).operands):
        yield Interpret("shell", text_of(text), seen.origin, via=how)


def opened(words: tuple[Word, ...], seen: Seen, how: str, flags: Flags = _OPEN) -> Iterator[Reported]:
    """A command in a window of its own."""
    given = flags.read(words, stop=True)
    if rest := words[given.rest :]:
        yield Run(rest, seen.origin, how)


def remote(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`kitty @ send-text TEXT`, `wezterm cli spawn -- COMMAND`, `zellij action write-chars TEXT`: the verb is what tells."""
    for n, word in enumerate(argv[1:], 1):
        if word.text == "ssh":
            yield Run(argv[n:], seen.origin, via(argv))
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


_TYPING = ("send-text", "write-chars")
_OPENING = ("launch", "spawn", "split-pane", "start", "run", "new-pane")


def automation(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`xdotool type TEXT`, `ydotool type TEXT`: keys for whatever window has the focus. What follows a text is text."""
    for n, word in enumerate(argv[1:], 1):
        if word.text == "type":
            yield from typed(argv[n:], seen, via(argv, "type"), _TYPED)
            return


_TYPED = Flags(
    "--window= --delay= -d= --clearmodifiers --args= --terminator= --file=read -f=read -D= --key-delay= --key-hold= -H= --escape="
)


def wtype(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    yield from typed(argv, seen, "wtype", Flags("-M= -m= -P= -p= -k= -d= -s="))


def emulator(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A command after `-e`, `-x` or `--`: words, or one text for a shell."""
    marks = [n for n, word in enumerate(argv) if word.text in ("-e", "-x", "--", "--command", "--execute")]
    if not marks:
        return
    rest = argv[marks[0] + 1 :]
    if len(rest) == 1:
        yield Interpret("shell", rest[0], seen.origin, via=via(argv, "-e"))
    elif rest:
        yield Run(rest, seen.origin, via(argv, "-e"))


def window_manager(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`i3-msg exec COMMAND`, `hyprctl dispatch exec COMMAND`: a shell of the user's runs it."""
    line = text_of(list(argv[1:]))
    found = re.search(r"\bexec(_always)?\b(\s+--?[\w-]+)*\s+(?=\S)", line.head)
    if found:
        yield Interpret("shell", line.cut(found.end()), seen.origin, via=via(argv, "exec"))


_EMULATORS = "gnome-terminal konsole alacritty foot xfce4-terminal mate-terminal lxterminal terminator tilix urxvt rxvt st x-terminal-emulator uxterm lxterm"
ROWS: dict[str, Program] = {
    **dict.fromkeys(("kitty", "kitten", "wezterm", "zellij"), Program(does=remote)),
    **dict.fromkeys(("xdotool", "ydotool"), Program(does=automation)),
    "wtype": Program(does=wtype),
    **dict.fromkeys(("i3-msg", "swaymsg", "hyprctl"), Program(does=window_manager)),
    **dict.fromkeys(_EMULATORS.split(), Program(does=emulator)),
}
