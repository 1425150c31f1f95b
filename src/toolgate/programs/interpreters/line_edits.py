"""What an interpreter's loop over lines makes of a known text: `perl -pi -e 's/a/b/'`."""

import re
from collections.abc import Iterator

from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import ParsedOptions
from toolgate.stream_editing.sed_scripts import apply_script

_OTHER_LINES = ("-n", "-l", "-0", "-a", "-F", "-x", "-M", "-m", "-s", "-C")
"""Options of Perl with which the text is split into lines, or the code is read, in another way."""
_SUBSTITUTION = re.compile(
    r"""
    \s* s (?P<delimiter>[/#,!])
    (?P<pattern> (?: (?!(?P=delimiter)) [^\\@$|{}\[\]()] | \\[./*+?()\[\]^$|{}bw] | \[[\w\ .,:;/=-]+\] )+ \$? ) (?P=delimiter)
    (?P<replacement> (?: (?!(?P=delimiter)) [^\\@$] | \\[./@$] )* ) (?P=delimiter)
    (?P<flags> [gi]* ) \s* (?: ;\s* | \Z )
    """,
    re.VERBOSE,
)
"""A substitution that Perl and sed perform alike: without variables, groups, lazy repetitions, and sets that match a line's end."""
_LAZY = re.compile(r"[*+?][*+?]")


def edit_by_perl(options: ParsedOptions, content: Word) -> Word | None:
    """Returns the text that is printed for a text; None if it is not known."""
    codes = list(options.values_of("-e"))
    if content.text is None or len(codes) != 1 or codes[0].text is None or options.has_flag("-p") is not True:
        return None
    script = _translate_to_sed(codes[0].text)
    if script is None or options.value_of("-E") is not None or options.has_flag(*_OTHER_LINES) is not False:
        return None
    edited = apply_script(script, content.text, extended=True, quiet=False)
    return None if edited is None else known_word(edited, content.src | codes[0].src)


def _translate_to_sed(code: str) -> str | None:
    commands = list(_find_substitutions(code))
    if not commands or sum(len(each[0]) for each in commands) != len(code):
        return None
    return (
        None
        if any(_LAZY.search(found["pattern"]) or _repeats_empty_match(found) for found in commands)
        else "\n".join(map(_format_command, commands))
    )


def _repeats_empty_match(found: re.Match[str]) -> bool:
    """Returns whether it replaces every match, and one may be empty: Perl finds such a match directly after another."""
    return "g" in found["flags"] and not _OPTIONAL_PARTS.sub("", found["pattern"])


_OPTIONAL_PARTS = re.compile(r"(?:\\[^b]|\[[^\]]*\]|[^\\\[])[*?]|\\b|\^|\$$")


def _find_substitutions(code: str) -> Iterator[re.Match[str]]:
    start = 0
    while (found := _SUBSTITUTION.match(code, start)) and found.end() > start:
        yield found
        start = found.end()


def _format_command(found: re.Match[str]) -> str:
    replacement = re.sub(r"\\(.)", r"\1", found["replacement"])
    written = re.sub(r"[&\\/\n]", lambda special: "\\" + special[0], replacement)
    pattern = re.sub(r"(?<!\\)/", r"\\/", found["pattern"])
    return f"s/{pattern}/{written}/{found['flags']}"
