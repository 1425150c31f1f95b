"""Simulated keys, typed into another terminal or whatever has the focus; and terminals opened with a command."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, Operation, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, join_arguments, make_carrier, program_name

_SEND_OPTIONS = Flags(
    "-m,--match= -t, --match-tab= --all --exclude-active --stdin --from-file=read --bracketed-paste= --no-paste --pane-id="
)
_OPEN_OPTIONS = Flags(
    "--type= --cwd= --title= --env= --hold -d= --direction= -n= --name= -f --floating -i --in-place -c --close-on-exit"
)


_ANSWER_TEXT = re.compile(
    r"(?:y|yes|yes,.*|n|no|a|always|ok|allow.*|approve.*|accept.*|proceed|continue|[0-9])?", re.IGNORECASE | re.DOTALL
)
_DIALOGUE_KEYS = frozenset(
    "enter return kp_enter kpenter c-m space tab escape esc up down left right btab 13 10 shift+tab s-tab 28:1 28:0 15:1 15:0".split()
)
"""Keys that choose or confirm in a dialogue, under their names in tmux, xdotool, wtype and ydotool."""


def press_keys(words: list[Word], context: ExecutionContext, terminal: Word | None = None) -> Iterator[Operation]:
    """Reports keys that may answer a question: only a choice and its confirmation. `terminal`: the one they are sent to, if the
    call names it."""
    texts = [_text_without_line_ends(word) for word in words if (word.text or "").lower() not in _DIALOGUE_KEYS]
    if words and _ANSWER_TEXT.fullmatch(" ".join(texts).strip()) is not None:
        flags = (("answers", True), ("elsewhere", _is_other_terminal(terminal, context)))
        yield Operation("terminal.type", context.origin, terminal or known_word("whatever has the focus"), flags)


def _text_without_line_ends(word: Word) -> str:
    """Returns the typed text without its line ends; unknown text is no answer."""
    return re.sub(r"\\[nrt]|[\r\n]", "", word.text) if word.text is not None else "?"


def _is_other_terminal(terminal: Word | None, context: ExecutionContext) -> bool:
    """Returns whether it is a named terminal, or a display that this call chose. Numbers are the user's own windows."""
    if context.get_variable("DISPLAY") is not None or context.get_variable("WAYLAND_DISPLAY") is not None:
        return True
    return terminal is not None and re.match(r"=?[A-Za-z_][\w-]{1,}", terminal.text or "") is not None


def type_text(
    words: tuple[Word, ...], context: ExecutionContext, how: Carrier, flags: Flags = _SEND_OPTIONS
) -> Iterator[ReportedEffect]:
    """Types a text: the shell that reads the keys runs it."""
    options = flags.parse(words)
    if text := list(options.operands):
        terminal = options.value_of("--match-tab", "--pane-id", "--window")
        yield from press_keys(text, context, options.value_of("--match") or terminal)
        yield Interpret("shell", join_arguments(text), context.origin, via=how)


def open_window(
    words: tuple[Word, ...], context: ExecutionContext, how: Carrier, flags: Flags = _OPEN_OPTIONS
) -> Iterator[ReportedEffect]:
    """Runs a command in a new window."""
    options = flags.parse(words, stop=True)
    if rest := words[options.rest :]:
        yield Run(rest, context.origin, how)


def remote_control(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`kitty @ send-text TEXT`, `wezterm cli spawn -- COMMAND`, `zellij action write-chars TEXT`: the verb decides."""
    for n, word in enumerate(argv[1:], 1):
        if word.text == "ssh":
            yield Run(argv[n:], context.origin, make_carrier(argv))
            return
        if word.text in _KEY_VERBS:
            yield from press_keys(
                _SEND_OPTIONS.parse(argv[n:]).operands, context, _SEND_OPTIONS.parse(argv[n:]).value_of("--match", "--pane-id")
            )
            return
        if word.text in _TEXT_VERBS:
            yield from type_text(argv[n:], context, make_carrier(argv, word.text or ""))
            return
        if word.text in _WINDOW_VERBS:
            yield from open_window(argv[n:], context, make_carrier(argv, word.text or ""))
            return
    if program_name(argv) == "kitty":
        yield from open_window(
            argv,
            context,
            make_carrier(argv),
            Flags("-o= -T= --title= --class= -d= --directory= --detach --hold -1 --single-instance"),
        )


_KEY_VERBS = ("send-key", "write")
_TEXT_VERBS = ("send-text", "write-chars")
_WINDOW_VERBS = ("launch", "spawn", "split-pane", "start", "run", "new-pane")


def xdotool(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`xdotool type TEXT`, `ydotool type TEXT`: keys for the window with the focus. Words after a text are text, too."""
    for n, word in enumerate(argv[1:], 1):
        if word.text == "type":
            yield from type_text(argv[n:], context, make_carrier(argv, "type"), _XDOTOOL_OPTIONS)
            return
        if word.text in ("key", "keydown"):
            options = _XDOTOOL_OPTIONS.parse(argv[n:])
            yield from press_keys(list(options.operands), context, options.value_of("--window"))
            return


_XDOTOOL_OPTIONS = Flags(
    "--window= --delay= -d= --clearmodifiers --args= --terminator= --file=read -f=read -D= --key-delay= --key-hold= -H= --escape="
)


def dotool(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """dotool and xte take actions: `key enter`, `type TEXT`, `str TEXT`; dotool from standard input, xte as words."""
    actions = (
        [word.text for word in argv[1:] if word.text] if program_name(argv) == "xte" else (context.stdin.text or "").splitlines()
    )
    for action in actions:
        verb, _, rest = action.strip().partition(" ")
        if verb in ("key", "type", "str", "keydown"):
            yield from press_keys([known_word(rest)], context)


def wtype(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    flags = Flags("-M= -m= -P= -p= -k= -d= -s=")
    options = flags.parse(argv)
    if not options.operands:
        yield from press_keys(list(options.values_of("-k", "-P")), context)
    yield from type_text(argv, context, Carrier("wtype"), flags)


def osascript_keystrokes(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`osascript -e 'tell application "System Events" to keystroke return'`: the window with the focus gets the keys."""
    for word in argv[1:]:
        for stroke in re.finditer(r"\bkeystroke\s+(?:\"([^\"]*)\"|\w+)|\bkey code\s+(?:36|76|48|53)\b", word.text or ""):
            yield from press_keys([known_word(stroke[1] or "")], context)


def terminal_emulator(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A command follows `-e`, `-x` or `--`: as words, or as one text for a shell."""
    marks = [n for n, word in enumerate(argv) if word.text in ("-e", "-x", "--", "--command", "--execute")]
    if not marks:
        return
    rest = argv[marks[0] + 1 :]
    if len(rest) == 1:
        yield Interpret("shell", rest[0], context.origin, via=make_carrier(argv, "-e"))
    elif rest:
        yield Run(rest, context.origin, make_carrier(argv, "-e"))


def i3_msg(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`i3-msg exec COMMAND`, `hyprctl dispatch exec COMMAND` run the command in a shell of the user."""
    line = join_arguments(list(argv[1:]))
    found = re.search(r"\bexec(_always)?\b(\s+--?[\w-]+)*\s+(?=\S)", line.head)
    if found:
        yield Interpret("shell", line.drop_first(found.end()), context.origin, via=make_carrier(argv, "exec"))


_EMULATORS = "gnome-terminal konsole alacritty foot xfce4-terminal mate-terminal lxterminal terminator tilix urxvt rxvt st x-terminal-emulator uxterm lxterm"
ROWS: dict[str, Program] = {
    **dict.fromkeys(("kitty", "kitten", "wezterm", "zellij"), Program(does=remote_control)),
    **dict.fromkeys(("dotool", "xte"), Program(does=dotool)),
    **dict.fromkeys(("xdotool", "ydotool"), Program(does=xdotool)),
    "wtype": Program(does=wtype),
    **dict.fromkeys(("i3-msg", "swaymsg", "hyprctl"), Program(does=i3_msg)),
    **dict.fromkeys(_EMULATORS.split(), Program(does=terminal_emulator)),
}
