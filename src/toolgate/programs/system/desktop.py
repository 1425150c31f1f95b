"""Programs that read the clipboard, or record the screen, a camera or a microphone."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Connect, Operation, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, program_name

_FFMPEG_DEVICES = frozenset("x11grab avfoundation gdigrab kmsgrab alsa pulse v4l2 dshow".split())
"""Formats of ffmpeg that record the screen, a camera or a microphone of this machine."""


def clipboard_program(options: str, *reading: str) -> Program:
    """A program that prints the clipboard; with `reading`, only if one of these options is given. It copies the files that its
    operands name."""
    flags = Flags(f"{options} --help --version")

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        parsed = flags.parse(argv)
        if parsed.has_flag(*INFORMATION_OPTIONS) is True:
            return
        yield from (Read(context.resolve_place(file), context.origin) for file in parsed.operands)
        if reading and parsed.has_flag(*reading) is False:
            return
        yield Operation("desktop.capture", context.origin, known_word("the clipboard"))
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


def clipboard_manager(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """copyq, cliphist and others: the verbs that print what was copied."""
    if len(argv) > 1 and argv[1].text in ("read", "clipboard", "selection", "list", "decode", "get", "history"):
        yield Operation("desktop.capture", context.origin, known_word("what was copied"))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def recorder(what: str, options: str, *file_options: str) -> Program:
    """A program that records to its operands, and to the values of `file_options`, or prints what it recorded."""
    flags = Flags(f"{options} --help --version")

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        parsed = flags.parse(argv)
        if parsed.has_flag(*INFORMATION_OPTIONS) is True:
            return
        yield Operation("desktop.capture", context.origin, known_word(what))
        recorded = context.unknown_output(program_name(argv))
        for file in (*parsed.operands, *parsed.values_of(*file_options)):
            yield Write(context.resolve_place(file), recorded, False, context.origin)
        yield PrintedOutput(recorded)

    return Program(does=report_effects)


def find_recordings(_name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what ffmpeg records from a device of this machine, to the file that is its last operand."""
    if any(before.text == "-f" and word.text in _FFMPEG_DEVICES for before, word in pairwise(argv)):
        yield Operation("desktop.capture", context.origin, known_word("the screen, a camera or a microphone"))
        recorded = context.unknown_output("ffmpeg")
        if argv[-1].contains("://") is True:
            yield Connect(argv[-1], context.origin, recorded)
        else:
            yield Write(context.resolve_place(argv[-1]), recorded, False, context.origin)


ROWS: dict[str, Program] = {
    "xclip": clipboard_program(
        "-i,-in -o,-out -l,-loops= -d,-display= -sel,-selection= -t,-target= -f,-filter -r,-rmlastnl -silent -quiet -verbose -noutf8",
        "-out",
    ),
    "xsel": clipboard_program(
        "-i,--input -o,--output -a,--append -c,--clear -k,--keep -x,--exchange -p,--primary -s,--secondary -b,--clipboard -n,--nodetach"
        " -t,--selectionTimeout= -l,--logfile= -v,--verbose",
        "--output",
    ),
    "pbpaste": clipboard_program("-pboard= -Prefer="),
    "wl-paste": clipboard_program("-n,--no-newline -p,--primary -l,--list-types -t,--type= -w,--watch= -s,--seat="),
    **dict.fromkeys(("termux-clipboard-get", "greenclip", "clipman"), clipboard_program("")),
    **dict.fromkeys(("copyq", "cliphist", "gpaste-client"), Program(does=clipboard_manager)),
    "scrot": recorder(
        "the screen",
        "-a= -b -c -d= -e= -F= -f -k= -i -l= -m -o -p -q= -Z= -r= -s -S= -t= -u -w= -z -D= --file= --focused",
        "-F",
        "--file",
    ),
    "maim": recorder("the screen", "-x= -f= -i= -g= -w= -d= -u -m= -s -b= -p= -t= -c= -r= -l -q -k -o -n="),
    "grim": recorder("the screen", "-s= -g= -t= -q= -l= -o= -c -h"),
    "gnome-screenshot": recorder("the screen", "-c -w -b -B -p -a -e= -d= -i -f,--file=", "--file"),
    "spectacle": recorder("the screen", "-f -c -a -u -t -r -b -n -C -w -d= -m -p -o,--output=", "--output"),
    "flameshot": recorder("the screen", "-p,--path= -c,--clipboard -d,--delay= -r,--raw -n,--number= -u,--upload", "--path"),
    "ksnip": recorder("the screen", "-r -l -f -a -m -c -d,--delay= -s,--save -p,--saveto= -o -u,--upload", "--saveto"),
    **dict.fromkeys(
        ("wayshot", "xfce4-screenshooter"), recorder("the screen", "-f= -s,--save= -w -r -d= --file=", "-f", "--save", "--file")
    ),
    "hyprshot": recorder(
        "the screen", "-m,--mode= -o,--output-folder= -f,--filename= -r,--raw -s --clipboard-only", "--filename"
    ),
    "wf-recorder": recorder(
        "the screen", "-f,--file= -g,--geometry= -o,--output= -a,--audio=? -c,--codec= -t -m,--muxer= -l -d,--device=", "--file"
    ),
    "screencapture": recorder(
        "the screen", "-c -b -C -d -i -m -M -o -P -I -s -S -t= -T= -w -W -x -a -r -l= -R= -v -V= -g -G= -k -D= -u -U -p -B="
    ),
    "xwd": recorder("the screen", "-root -id= -name= -out= -display= -silent -nobdrs -xy -add= -frame -screen -icmap", "-out"),
    **dict.fromkeys(("arecord", "parecord", "pw-record"), recorder("the microphone", "-f= -r= -c= -d= -D= -t= -q -v")),
    **dict.fromkeys(("fswebcam", "imagesnap"), recorder("the camera", "-r= -d= -w= -q -D= -S= -F= --no-banner")),
}
