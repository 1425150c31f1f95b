"""Options of the shells."""

from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags, ParsedOptions

SHELL = Flags(
    "-c -i -l,--login -r -s -D -e -u -x -v -n -a -b -f -h -k -m -p -t -B -C -E -H -P -T -o= -O= --norc --noprofile --posix --rcfile= --init-file="
    " --restricted --verbose --debugger --noediting --help --version"
)


def parse_shell_options(argv: tuple[Word, ...]) -> ParsedOptions:
    """Parses the options of a shell. A plus switches one off (`bash +O extglob -c CODE`), which changes nothing here: it is read
    as another option that takes as many values."""
    words, n = list(argv), 1
    while n < len(words) and words[n].head[:1] in ("-", "+") and len(words[n].head) > 1:
        if words[n].head.startswith("+"):
            words[n] = known_word("-O" if words[n].head.endswith(("o", "O")) else "-e")
        n += 2 if words[n].head.endswith(("o", "O")) and not words[n].head.startswith("--") else 1
    return SHELL.parse(tuple(words), stop=True)


def code_of_options(options: ParsedOptions) -> Word:
    """Returns commands that set the options which change how the shell's code is read, or what it shows, for the beginning of its
    first line."""
    letters = [name for name in ("-k", "-B", "-C", "-P", "-x") if options.has_flag(name) is True]
    names = [f"shopt -s {word.text}" for word in options.values_of("-O") if word.text]
    return known_word("".join(f"{command}; " for command in (*(f"set {letter}" for letter in letters), *names)))
