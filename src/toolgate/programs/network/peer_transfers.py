"""Programs that send files to whoever knows a code or an address: croc, magic-wormhole, ffsend, ipfs."""

from collections.abc import Iterator

from toolgate.model.effect import Connect, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, program_name

_FLAGS = Flags(
    "--code= -c= --pass= --relay= --relay6= --ports= --text= --hash= -y,--yes --curve= --ip= --socks5= --multicast= --throttleUpload="
    " --appid= --relay-url= --transit-helper= --code-length= --dump-timing= -0,-1 --verify --hide-progress --no-listen --tor"
    " -d,--downloads= -e,--expire-time= -n,--name= -p,--password=? -h,--host= -A,--archive -C,--copy -i,--incognito"
)
_SENDING_VERBS = {"ipfs": ("add",)}
_USUAL_VERBS = ("send", "tx", "upload", "up")


def send_to_peer(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`croc [OPTIONS] send [OPTIONS] FILE..`"""
    words = _FLAGS.parse(argv).operands
    verbs = _SENDING_VERBS.get(program_name(argv), _USUAL_VERBS)
    at = next((n for n, word in enumerate(words) if word.text in verbs), None)
    for file in words[at + 1 :] if at is not None else ():
        if file.text == "-":
            yield Connect(known_word(f"{program_name(argv)}.relay"), context.origin, context.stdin)
            continue
        place = context.resolve_place(file)
        yield Read(place, context.origin, file.tail.endswith("/") or context.is_folder(place) is not False)
        yield Connect(known_word(f"{program_name(argv)}.relay"), context.origin, context.read(file))


ROWS: dict[str, Program] = dict.fromkeys(("croc", "wormhole", "magic-wormhole", "ffsend", "ipfs"), Program(does=send_to_peer))
