"""Conventions by which programs without a row are told what to read, write and run.

Such a program reads the files that its arguments name, and writes the file of `-o FILE` or `--output FILE`. That is a guess,
and never sure.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Connect, Interpret, Read, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Maybe, Word, join_words, known_word, unknown_word


def guess_file_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what a program without a row may read, write, delete and connect to."""
    from .deletion_heuristics import guess_deletions  # most programs have a row

    yield from guess_reads(argv, context)
    yield from guess_writes(argv, context)
    yield from guess_connections(argv, context)
    yield from guess_deletions(argv, context)


def find_carried_commands(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the commands in the arguments and in the settings of a program of this name without a row. One begins at the first
    word that names a program with a row. The value of an option that takes code is another, or quotes some."""
    from toolgate.programs import find_project_code

    if find_project_code(name) is None:
        from .named_settings import find_settings_commands

        yield from find_settings_commands(name, argv, context)
    via = Carrier(argv[0].display_text, guessed=True)
    for option, value in _values_of_code_options(argv):
        lists = (" ".join(a or b for a, b in _LITERAL.findall(found[0])) for found in _LITERALS.finditer(value))
        escape = _SHELL_ESCAPE.match(value)
        command = value[escape.end() :] if escape is not None else value
        for text in (command, *lists):
            name, _, arguments = text.strip().partition(" ")
            if arguments and _names_program(name):
                is_command = text is command and (escape is not None or option.startswith("--"))
                carrier = Carrier(via.program, option, guessed=not is_command)
                yield Interpret("shell", known_word(text), context.origin, via=carrier, sure=True if is_command else None)
    for n, word in enumerate(argv[1:], 1):
        if word.text is not None and _names_program(word.text) and not _is_output_file(argv[n - 1], word):
            yield Run(argv[n:], context.origin, via, sure=None)
            return


def _names_program(text: str) -> bool:
    """Returns whether a text is the name of a program with a row. A path in no folder of programs rather names a file."""
    from toolgate.programs import find_row

    folder, _, name = text.rpartition("/")
    return text != "." and (not folder or folder.endswith("bin")) and find_row(name) is not None


def _values_of_code_options(argv: tuple[Word, ...]) -> Iterator[tuple[str, str]]:
    for word, following in pairwise((*argv, known_word(""))):
        name, attached, value = word.partition("=")
        code = value.text if attached else following.text
        if code and name.text is not None and _takes_code(name.text):
            yield name.text, code


_takes_code = re.compile(r"-[cexrE]|--?[\w-]*(?:exec|eval|command|cmd|run|script|shell|hook|code|batch-string)\w*").fullmatch
"""Matches options whose value is often code or a command. That of a short one may also be a pattern, or in another language."""
_SHELL_ESCAPE = re.compile(r"\s*(?::?!+|:?shell\s+(?:-\S+\s+)*|/exec\s+(?:-\S+\s+)*)")
"""Matches what precedes a command of a shell in the language of a program with windows."""
_LITERAL = re.compile(r"""\"((?:\\.|[^"\\])*)\"|'((?:\\.|[^'\\])*)'""")
_LITERALS = re.compile(r"""(?:(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')[\s,\[\]]*)+""")
"""Matches texts in quotes that follow each other: a list of arguments."""


def build_write(word: Word, is_folder: bool, context: ExecutionContext, sure: Maybe = True) -> Write:
    whole = word + known_word("/") + unknown_word("new files", like="*") if is_folder else word
    origin = context.origin if sure is True else context.origin._replace(sure=sure)
    return Write(context.resolve_place(whole), None, True, origin)


def find_outputs(argv: tuple[Word, ...], options: frozenset[str]) -> Iterator[tuple[Word, bool]]:
    """Yields the values of these output options, and whether each is a folder. A value is the next word, or follows `=`; with
    `-o*` it may directly follow the option; `--out-dir/` marks an option that names a folder."""
    for n, word in enumerate(argv[1:], 1):
        name, attached, value = word.partition("=")
        for option in (name.text or "", f"{name.text}*", f"{name.text}/"):
            if option in options:
                if attached:
                    yield value, option.endswith("/")
                elif n + 1 < len(argv):
                    yield argv[n + 1], option.endswith("/")
                break
        else:
            for option in options:
                if option.endswith("*") and word.starts_with(option[:-1]) is True and not attached:
                    yield word.drop_first(len(option) - 1), False


def git_outputs(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Write]:
    """Yields the files that a git subcommand writes. `argv` begins with the subcommand."""
    for word, is_folder in find_outputs(argv, _GIT_OUTPUTS.get(argv[0].text or "", frozenset())):
        is_file_command = argv[0].text in ("archive", "bundle")
        yield (
            build_write(word, is_folder, context)._replace(content=context.unknown_output("git"))
            if is_file_command
            else build_write(word, is_folder, context)
        )


_GIT_OUTPUTS = {
    **dict.fromkeys(("diff", "log", "show", "diff-tree", "whatchanged", "range-diff"), frozenset(("--output",))),
    "shortlog": frozenset(("--output",)),
    "archive": frozenset(("-o*", "--output")),
    "format-patch": frozenset(("-o/", "--output-directory/")),
    "bundle": frozenset(("create",)),
}
"""By subcommand: the options, or the word, before an output file."""

_OUTPUT_STEMS = ("o", "out", "output", "dest", "destination", "save", "log", "report")
_OUTPUT_SUFFIXES = ("", "file", "dir", "path", "folder", "directory", "name", "to")


def guess_writes(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Write]:
    """Yields what a program without a row may write: the values of output options, and its file operands with one of
    `_IN_PLACE`."""
    yield from _writes_of_options(argv, context)
    for word in _operands_changed_in_place(argv):
        if word.starts_with("-") is False and _is_like_a_file(word):
            yield build_write(word, False, context, None)


def _operands_changed_in_place(argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """Returns the words that may be files changed in place. The word after a short option is rather its value."""
    at = next((n for n, word in enumerate(argv) if word.text in _IN_PLACE_OPTIONS), 0)
    if not at:
        return ()
    return argv[1:at] + argv[at + (2 if len(argv[at].text or "") == 2 else 1) :]


def _is_like_a_file(word: Word) -> bool:
    return word.contains("/") is not False or word.contains(".") is not False


def _writes_of_options(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Write]:
    """Yields the files of output options. A value without a dot or a slash is rather a format or a column."""
    for n, word in enumerate(argv[1:], 1):
        name, attached, value = word.partition("=")
        if not name.starts_with("-") or name.text is None:
            continue
        if not _is_output_option(name.text):
            continue
        if not attached:
            if n + 1 == len(argv) or argv[n + 1].starts_with("-") is True:
                continue
            value = argv[n + 1]
        if _is_like_a_file(value):
            yield build_write(value, name.text.lower().endswith(("dir", "folder", "directory")), context, None)


def _is_output_file(option: Word, value: Word) -> bool:
    """Returns whether a word is the file of the output option before it: `-o /tmp/cc` names no compiler."""
    return option.starts_with("-") is True and _is_output_option(option.text or "") and _is_like_a_file(value)


def _is_output_option(name: str) -> bool:
    bare = name.lstrip("-").lower().replace("-", "").replace("_", "")
    return bare in _OUTPUT_OPTIONS or bare.endswith("out")


_IN_PLACE_OPTIONS = ("--in-place", "--inplace", "--write", "--overwrite", "--fix", "-i", "-I", "-w")
_OUTPUT_OPTIONS = frozenset(f"{out}{kind}" for out in _OUTPUT_STEMS for kind in _OUTPUT_SUFFIXES)

_IDENTITY_OPTIONS = frozenset("--identity --identity-file --private-key --ssh-key --key-file --kubeconfig --netrc-file".split())
"""Options that name a key, or a file with one, by which the program authenticates itself: the key is used, not shown."""
_SHORT_IDENTITY_OPTIONS = frozenset(("-i", "--key", "--cert", "-k"))
_WHOLE_FOLDER_VERBS = frozenset(
    "backup upload send push sync copy share publish serve archive store import put save create".split()
)
"""Verbs that process a folder with everything in it, as does a program that is given an address, too."""
_LOGIN_PROGRAM_MARKS = (
    "ssh",
    "sftp",
    "mosh",
    "age",
    "mutagen",
    "unison",
    "fab",
    "curl",
    "http",
    "grpc",
    "tunnel",
    "vpn",
    "kube",
    "k9s",
    "helm",
)
"""Parts of the names of programs that log in elsewhere: only for them is `-i` sure to name a key."""
_PROGRAMS_THAT_READ_ARGUMENTS = frozenset(
    "as ld nasm yasm gcc g++ cc cpp clang aria2c date dig dmesg ffmpeg finger go ip jrunscript julia latex pdflatex xelatex lualatex tex links "
    "lynx w3m elinks lwp-request mtr rclone duplicity borg kopia octave octave-cli pandoc puppet restic rake sysctl terraform timedatectl xargs emacs perl "
    "magick convert gm qpdf pdftotext xmllint xsltproc tshark cabal".split()
)
"""Programs whose rows describe what they write and run, but not that they show parts of any file they are given, at least in
error messages."""
_INCLUDES = re.compile(r"\\(?:input|include|verbatiminput|lstinputlisting)\{([^{}]+)\}")


def reads_its_arguments(name: str) -> bool:
    """Returns whether a program of this name reads its arguments besides what its row describes."""
    return name in _PROGRAMS_THAT_READ_ARGUMENTS


def guess_reads(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Read | Write]:
    """Yields what a program without a row reads: the files its arguments name, also as `--option=FILE`, `@FILE` and
    `file://FILE`. Whether it writes them is unknown."""
    name = argv[0].file_name
    identities = (
        _IDENTITY_OPTIONS | _SHORT_IDENTITY_OPTIONS if any(mark in name for mark in _LOGIN_PROGRAM_MARKS) else _IDENTITY_OPTIONS
    )
    takes_all = any(word.text in _WHOLE_FOLDER_VERBS or word.contains("://") is True for word in argv[1:])
    for n, word in enumerate(argv[1:], 1):
        if word.starts_with("\\") is True and word.text is not None:
            yield from (Read(context.resolve_place(known_word(path)), context.origin) for path in _INCLUDES.findall(word.text))
        for named, option in _named_files(word, argv[n - 1] if n > 1 else None):
            place = context.resolve_place(named)
            unsure = context.origin._replace(sure=None)
            is_everything = takes_all and (named.text or "").rstrip("/") in ("~", "", context.home)
            yield Read(place, unsure if option in identities else context.origin, is_everything)
            if named.starts_with("/") is True or named.starts_with("~") is True:
                yield Write(place, None, None, unsure)


def guess_connections(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Connect]:
    """Yields the addresses in the arguments of a program without a row, if a variable or a secret of the call may go there: the
    other arguments identify the caller."""
    addresses = [word for word in argv[1:] if (found := _ADDRESS.search(word.head)) and found[1] not in ("file", "git", "ssh")]
    others = [word for word in argv[1:] if word not in addresses]
    if addresses and any(word.text is None or word.src for word in others):
        yield Connect(addresses[0], context.origin, shows=join_words(others))


_ADDRESS = re.compile(r"(?:^|=)([a-z][a-z0-9+]*)://[^/]")


def _named_files(word: Word, before: Word | None) -> Iterator[tuple[Word, str]]:
    """Yields the file that a word names, with the option that it belongs to."""
    if word.starts_with("-") is True:
        name, attached, value = word.partition("=")
        if attached and _may_be_path(value):
            yield value, name.text or ""
        return
    option = (before.text or "") if before is not None and before.starts_with("-") is True else ""
    for prefix in ("file://localhost", "file://", "file:", "@"):
        if word.starts_with(prefix) is True:
            word = word.drop_first(len(prefix))
            break
    if _may_be_path(word):
        yield word, option
    elif option in _COMMAND_OPTIONS and word.text is not None:
        yield from ((named, option) for each in word.text.split() if _may_be_path(named := known_word(each, word.src)))
    elif not _looks_like_command.search(word.head or ""):
        _, attached, value = word.partition("=")
        if attached and _may_be_path(value):
            yield value, option


_COMMAND_OPTIONS = frozenset(("-c", "-e", "-x", "--command", "--exec", "--execute", "--eval"))
"""Options whose value is a command in the program's own language, which may name files among its words."""
_looks_like_command = re.compile(r"\s[<>|;&]|[;|&]\s|^[^\s/]+\s.*/", re.DOTALL)
"""Matches text with shell operators, or with a word before a path: such text is not a file name."""


def _may_be_path(word: Word) -> bool:
    """Returns whether a word has a slash, or is a file name that alone tells the content."""
    head = word.head
    if not head or "://" in head or "\n" in head or len(head) > 4096 or _looks_like_command.search(head):
        return False
    return "/" in head or head.startswith(("~", ".env", "id_", ".netrc", ".npmrc", ".pypirc")) or head.endswith((".pem", ".key"))
