"""Encoders, compressors and ciphers. Decoding is reported, since nobody could read the text before."""

import base64 as codec
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toolgate.model.effect import Connect, Delete, Operation, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, encoded_word, known_word, unknown_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, program_name

from .filters import Filter


@dataclass(frozen=True, slots=True)
class Coder:
    """`decodes`: options with which it decodes; none if it always does. `back`, `forth`: the decoder and the encoder, for
    known text."""

    flags: Flags
    decodes: tuple[str, ...] = ()
    skips: int = 0
    back: Callable[[str], str] | None = None
    forth: Callable[[str], str] | None = None

    def __call__(self, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = self.flags.parse(argv)
        if options.has_flag(*INFORMATION_OPTIONS) is True:
            return
        decodes = not self.decodes or options.has_flag(*self.decodes) is True
        files = [word for word in options.operands[self.skips :] if word.text != "-"]
        if decodes:
            yield Operation("text.decode", context.origin)
        change = self.back if decodes else self.forth
        if change is None or len(files) > 1:
            yield from Filter(self.flags, self.skips, recodes=True)(argv, context)
            return
        for file in files:
            yield Read(context.resolve_place(file), context.origin)
        source = context.read(files[0]) if files else context.stdin
        yield PrintedOutput(transform_word(source, change, f"$({program_name(argv)})", context))


def compress_files(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """gzip, bzip2, xz replace each file with its compressed form."""
    flags = Flags(_COMPRESSOR)
    yield from Coder(flags, ("--decompress",))(argv, context)
    options = flags.parse(argv)
    if options.has_flag("--stdout", "--test", "--list", "--keep", "--decompress", *INFORMATION_OPTIONS) is not False:
        return
    for word in options.operands:
        if word.text != "-":
            yield Write(context.resolve_place(word), context.unknown_output(program_name(argv)), False, context.origin)


def transform_word(source: Word, change: Callable[[str], str], why: str, context: ExecutionContext) -> Word:
    """Returns the text as it is encoded or decoded, as far as it is known."""
    own = context.unknown_output("").src | source.src
    if source.text is not None:
        try:
            return known_word(change(source.text), own)
        except ValueError:
            pass
    return encoded_word(why, source, own)


def decode_base64(text: str) -> str:
    return codec.b64decode("".join(text.split()), validate=True).decode()


def encode_base64(text: str) -> str:
    return codec.b64encode(text.encode()).decode() + "\n"


def decode_base32(text: str) -> str:
    return codec.b32decode("".join(text.split())).decode()


def decode_hexadecimal(text: str) -> str:
    return bytes.fromhex("".join(text.split())).decode()


def openssl(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`base64 -d` and `enc -d` decode; `s_client` connects to a server."""
    options = OPENSSL.parse(argv)
    command = options.operands[0].text if options.operands else None
    if command == "s_client":
        target = options.value_of("-connect") or unknown_word("a server")
        yield Connect(target, context.origin, sends=context.stdin)
        yield PrintedOutput(context.unknown_output(f"the response of {target.display_text}"))
        return
    if options.has_flag("-d") is True:
        yield Operation("text.decode", context.origin)
        in_base64 = command == "base64" or options.has_flag("-base64", "-a") is True
        if in_base64 and options.value_of("-in") is None and not options.has_flag("-aes-256-cbc"):
            yield PrintedOutput(transform_word(context.stdin, decode_base64, "$(openssl)", context))
            return
    yield from Filter(OPENSSL, 1)(argv, context)


OPENSSL = Flags(
    "-in=read -out=write -k= -pass= -K= -iv= -e -d -a -base64 -A -salt -nosalt -pbkdf2 -aes-256-cbc -inkey=read -connect= -quiet -servername="
)
_COMPRESSOR = "-d,--uncompress,--decompress -c,--to-stdout,--stdout -k,--keep -f,--force -q,--quiet -v,--verbose -r,--recursive -t,--test -l,--list -n -N -1 -9 -S= --rm"
BASE_OPTIONS = "-d,-D,--decode -w,--wrap= -i,--ignore-garbage --help --version"
XXD = Flags("-r -p -ps -plain -c= -g= -l= -s= -u -i -b -e")
GPG = Flags(
    "-c -d,--decrypt -e -s -a -b -r= -u= -o,--output=write --batch --yes --passphrase= --passphrase-file=read --import --export --armor --export-secret-keys --export-secret-subkeys --list-keys -k -K --list-secret-keys --delete-secret-keys --delete-keys"
)


def gpg(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """gpg: `--export-secret-keys` prints the private keys of the key ring."""
    texts = {word.text for word in argv[1:]}
    if not texts.isdisjoint(("--export-secret-keys", "--export-secret-subkeys", "--export-secret-key")):
        yield from (Read(context.resolve_place(ring), context.origin) for ring in _list_key_rings(context))
    if not texts.isdisjoint(
        ("--delete-secret-keys", "--delete-secret-key", "--delete-secret-and-public-key", "--delete-secret-and-public-keys")
    ):
        yield from (Delete(context.resolve_place(ring), True, context.origin) for ring in _list_key_rings(context))
    yield from Coder(GPG, ("--decrypt",))(argv, context)


def _list_key_rings(context: ExecutionContext) -> list[Word]:
    homes = context.get_variables("GNUPGHOME") or (known_word(f"{context.home}/.gnupg"),)
    return [home + known_word("/private-keys-v1.d") for home in homes]


def xxd(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """xxd writes its second operand; with `-r` that is the restored binary."""
    options = XXD.parse(argv)
    for target in options.operands[1:2]:
        yield Write(
            context.resolve_place(target), unknown_word("$(xxd)", context.unknown_output("xxd").src), False, context.origin
        )
    kept = [word for word in argv if word not in options.operands[1:]]
    yield from Coder(XXD, ("-r",), back=decode_hexadecimal)(tuple(kept), context)


ROWS: dict[str, Program] = {
    "base64": Program(does=Coder(Flags(BASE_OPTIONS), ("--decode",), back=decode_base64, forth=encode_base64)),
    "base32": Program(does=Coder(Flags(BASE_OPTIONS), ("--decode",), back=decode_base32)),
    "basenc": Program(
        does=Coder(Flags(BASE_OPTIONS + " --base64 --base64url --base32 --base16 --base2msbf --z85"), ("--decode",))
    ),
    "xxd": Program(does=xxd),
    "uudecode": Program(does=Coder(Flags("-o=write"))),
    **dict.fromkeys(
        ("gunzip", "zcat", "gzcat", "bunzip2", "bzcat", "unxz", "xzcat", "lzcat", "unzstd", "zstdcat", "lz4cat", "unlz4"),
        Program(does=Coder(Flags(_COMPRESSOR))),
    ),
    **dict.fromkeys(("zstd", "lz4", "brotli"), Program(does=Coder(Flags(_COMPRESSOR), ("--decompress",)))),
    **dict.fromkeys(("gzip", "bzip2", "xz", "lzma"), Program(does=compress_files)),
    "openssl": Program(does=openssl),
    **dict.fromkeys(("gpg", "gpg2"), Program(does=gpg)),
    "age": Program(does=Coder(Flags("-d,--decrypt -e -i=read -o=write -p -r= -a"), ("--decrypt",))),
}
