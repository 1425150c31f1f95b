"""Languages of programs in which commands of a shell, or code of another language, are embedded.

GROWS: a language is a row: for each kind of code in it the pattern of what precedes it, its extent and its language. A literal
reading of this kind finds what a file runs; whatever else stands in it is left alone.
"""

import re
from collections.abc import Iterator

from toolgate.languages import word_from_text
from toolgate.model.effect import Carrier, Interpret, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext

from .extents import (
    Extent,
    bracketed,
    called_steps,
    called_tests,
    indented,
    nix_text,
    prefixed,
    quoted_text,
    rest_of_line,
    tcl_command,
    typed_lines,
    unescaped,
    up_to,
    value,
    whole,
    without_rules,
)

_TABLE: dict[str, tuple[tuple[str, Extent, str], ...]] = {
    # debuggers and editors
    "gdb": (
        (r"^[ \t]*(?:!|(?:platform[ \t]+)?shell[ \t])[ \t]*", rest_of_line, "shell"),
        (r"^[ \t]*(?:pipe\b|\|)[^|\n]*\|[ \t]*", rest_of_line, "shell"),
        (r"^[ \t]*(?:python|py|script)[ \t]+(?=\S)", rest_of_line, "python"),
        (r"^[ \t]*(?:python|py)[ \t]*\n", up_to(r"^[ \t]*end[ \t]*$"), "python"),
        (r"\b(?:system|popen)[ \t]*\([ \t]*(?=\")", quoted_text, "shell"),
        (r"\bgdb\.execute\(\s*(?=[\"'])", quoted_text, "gdb"),
        (r"^[ \t]*(?:command[ \t]+)?source[ \t]+(?:-\w+[ \t]+)*", rest_of_line, "gdb-file"),
        (r"^[ \t]*command[ \t]+script[ \t]+import[ \t]+", rest_of_line, "python-file"),
    ),
    "kak": ((r"%sh(?=[({\[<])", bracketed, "shell"),),
    "expect": (
        (r"\A", whole, "tcl"),
        (r"(?:^|[;{\[])[ \t]*spawn(?:[ \t]+-(?:noecho|console|ignore[ \t]+\w+))*[ \t]+", tcl_command, "shell"),
        (r"(?:^|[;{\[])[ \t]*system[ \t]+", value, "shell"),
        (r"\bspawn[ \t]+(?:-noecho[ \t]+)?(?:\S*/)?(?:ba|z|da|k)?sh(?=\s|$)", typed_lines, "shell"),
    ),
    # terminals
    "tmux": (
        (
            r"^[ \t]*(?=(?:run|run-shell|if|if-shell|new|new-session|neww|new-window|splitw|split-window|respawn-\w+|pipe-pane"
            r"|popup|display-popup|set-hook|send|send-keys)\b)",
            prefixed("tmux", rest_of_line),
            "shell",
        ),
        (r"#(?=\()", bracketed, "shell"),
        (r"^[ \t]*source(?:-file)?[ \t]+(?:-\w+[ \t]+)*", rest_of_line, "tmux-file"),
    ),
    "screenrc": (
        (r"^[ \t]*(?:screen|exec)(?:[ \t]+-(?:t|h|T|fn)[ \t]+\S+|[ \t]+-\w+)*[ \t]+(?:\d+[ \t]+)?", rest_of_line, "shell"),
        (r"^[ \t]*backtick(?:[ \t]+\d+){3}[ \t]+", rest_of_line, "shell"),
    ),
    "tape": ((r"^[ \t]*Type(?:@\w+)?[ \t]+", value, "shell"),),
    "transcript": ((r"^(?:  )?[$>][ \t]", rest_of_line, "shell"),),
    # tests and documents
    "bats": ((r"\A", called_tests, "shell"),),
    "shellspec": (
        (
            r"^[ \t]*(?:When[ \t]+(?:call|run)|BeforeRun|(?:Before|After)(?:All|Each|Call)?)[ \t]+"
            r"(?:(?:script|command|source)[ \t]+)?",
            value,
            "shell",
        ),
    ),
    "markdown": (
        (r"^[ \t]*`{3,}[ \t]*\{?(?:bash|sh|shell|zsh)\b[^\n]*\n", up_to(r"^[ \t]*`{3,}[ \t]*$"), "shell"),
        (r"^[ \t]*`{3,}[ \t]*\{?python3?\b[^\n]*\n", up_to(r"^[ \t]*`{3,}[ \t]*$"), "python"),
        (r"^[ \t]*`{3,}[ \t]*\{?[rR]\b[^\n]*\n", up_to(r"^[ \t]*`{3,}[ \t]*$"), "r"),
        (r"^[ \t]*`{3,}[ \t]*\{?julia\b[^\n]*\n", up_to(r"^[ \t]*`{3,}[ \t]*$"), "julia"),
    ),
    "org": (
        (r"(?i)^[ \t]*#\+begin_src[ \t]+(?:bash|sh|shell|zsh)\b[^\n]*\n", up_to(r"(?i)^[ \t]*#\+end_src"), "shell"),
        (r"(?i)^[ \t]*#\+begin_src[ \t]+python\b[^\n]*\n", up_to(r"(?i)^[ \t]*#\+end_src"), "python"),
        (r"(?i)^[ \t]*#\+begin_src[ \t]+(?:emacs-lisp|elisp)\b[^\n]*\n", up_to(r"(?i)^[ \t]*#\+end_src"), "lisp"),
    ),
    "tex": (
        (r"\\(?:write18|ShellEscape)\s*(?=\{)", bracketed, "shell"),
        (r"\\(?:directlua|latelua)\s*(?=\{)", bracketed, "lua"),
        (r"\\(?:input|openin\d*\s*=?)\s*\{?\s*\"?\|\s*\"?", up_to(r"[}\"\n]"), "shell"),
    ),
    # packages of distributions
    "package-script": ((r"\A", called_steps, "shell"),),
    "snapcraft": (
        (r"^[ \t]*override-\w+[ \t]*:[ \t]*[|>][-+]?[ \t]*\n", indented, "shell"),
        (r"^[ \t]*override-\w+[ \t]*:[ \t]*(?=[^|>\s])", value, "shell"),
    ),
    "bitbake": (
        (r"^(?:fakeroot[ \t]+)?(?!python\b)[\w:.${}-]+[ \t]*\(\)[ \t]*\{[ \t]*\n", up_to(r"^\}"), "shell"),
        (r"^(?:fakeroot[ \t]+)?python\b[^\n{]*\{[ \t]*\n", up_to(r"^\}"), "python"),
    ),
    "rpm": (
        (
            r"^%(?:prep|generate_buildrequires|conf|build|install|check|clean)\b[^\n]*\n",
            up_to(
                r"^%(?:description|package|prep|generate_buildrequires|conf|build|install|check|clean|files|changelog|pre|post|trigger)\b"
            ),
            "shell",
        ),
        (r"%(?=\()", bracketed, "shell"),
    ),
    "nix": (
        (r"\b(?:shellHook|buildCommand|\w+Hook)\s*=\s*", nix_text, "shell"),
        (r"\bwriteShellScript(?:Bin)?\s+\S+\s+", nix_text, "shell"),
        (r"\bwriteShellApplication\s*\{[^{}]*?\btext\s*=\s*", nix_text, "shell"),
        (r"\bbuiltins\.exec\s*(?=\[)", nix_text, "shell"),
    ),
    "packer": ((r"\"shell-local\"", up_to(r"\}"), "packer-settings"),),
    "packer-settings": ((r"\b(?:inline|command)\"?[ \t]*[=:][ \t]*", quoted_text, "shell"),),
    "rockspec": ((r"\A", whole, "lua"), (r"\b(?:build|install)_command\s*=\s*", quoted_text, "shell")),
    # build systems and workflows
    "snakemake": (
        (r"\bshell\s*[:(]\s*", quoted_text, "shell"),
        (r"^[ \t]+run[ \t]*:[ \t]*\n", indented, "python"),
        (r"\A", without_rules, "python"),
    ),
    "nextflow": (
        (r"(?<![\"'])(?=\"\"\"|''')", quoted_text, "shell"),
        (r"\b(?:script|shell|exec|stub):\s*(?=[\"'])", quoted_text, "shell"),
        (r"\b(?:beforeScript|afterScript)\s*=?\s*(?=[\"'])", quoted_text, "shell"),
        (r"\A", whole, "jvm"),
    ),
    "starlark": (
        (r"\b(?:cmd|cmd_bash|bash|command|serve_cmd|test_cmd)\s*=\s*", quoted_text, "shell"),
        (r"\blocal\s*\(\s*(?:command\s*=\s*)?", quoted_text, "shell"),
        (r"\b(?:local_resource|custom_build)\s*\(\s*(?:\"[^\"\n]*\"|'[^'\n]*')\s*,\s*(?=[\"'\[])", quoted_text, "shell"),
    ),
    "earthly": ((r"^[ \t]+LOCALLY\b[^\n]*\n", up_to(r"^\S"), "earthly-local"),),
    "earthly-local": ((r"^[ \t]*RUN[ \t]+(?:--\S+[ \t]+)*", rest_of_line, "shell"),),
    "waf": ((r"\A", whole, "python"), (r"\b(?:rule|exec_command|cmd_and_log)\s*[=(]\s*", quoted_text, "shell")),
    "tup": (
        (r"^(?::[^|\n]*|!\w+\s*=\s*)\|>[ \t]*(?:\^[^^\n]*\^[ \t]*)?", up_to(r"\|>"), "shell"),
        (r"^run[ \t]+", rest_of_line, "shell"),
    ),
    "jam": ((r"\bactions\b[^{\n]*\s*\{", up_to(r"^[ \t]*\}"), "shell"), (r"\bSHELL\s+(?=\")", quoted_text, "shell")),
    "qmake": ((r"\bsystem(?=\()", bracketed, "shell"),),
    "gyp": ((r"<!@?(?=\()", unescaped(bracketed), "shell"), (r"[\"']action[\"']\s*:\s*", quoted_text, "shell")),
    "autoconf": ((r"\b(?:m4_)?e?syscmd(?:_s)?\(\[?", up_to(r"\]?\)"), "shell"),),
    "latexmk": ((r"\A", whole, "perl"), (r"^[ \t]*\$\w+[ \t]*=[ \t]*(?=['\"][^'\"\n]* )", quoted_text, "shell")),
    "lein": ((r"\A", whole, "lisp"), (r"\[\s*\"(?:shell|exec)\"\s+", up_to(r"\]"), "shell")),
    # mail
    "procmail": ((r"^[ \t]*\|[ \t]*", rest_of_line, "shell"), (r"=[ \t]*\"?`", up_to(r"`"), "shell")),
    "muttrc": (
        (r"`(?=[^`\n]+`)", up_to(r"`"), "shell"),
        (r"^[ \t]*source[ \t]+[\"']?(?=[^\n]*\|[\"']?[ \t]*$)", up_to(r"\|[\"']?[ \t]*$"), "shell"),
        (r"^[ \t]*source[ \t]+(?![^\n]*\|[\"']?[ \t]*$)", rest_of_line, "muttrc-file"),
        (r"\bsignature[ \t]*=[ \t]*[\"']?(?=[^\n]*\|[\"']?[ \t]*$)", up_to(r"\|[\"']?[ \t]*$"), "shell"),
        (r"\bpush[ \t]+[\"']?(?:<shell-escape>|!)", up_to(r"<|[\"']?[ \t]*$"), "shell"),
    ),
    # configuration of machines
    "salt": (
        (
            r"^[ \t]*-?[ \t]*cmd\.(?:run|script|wait)\b[^\n]*\n(?:[ \t]*-[ \t]+(?!name:)[^\n]*\n)*[ \t]*-[ \t]+name:[ \t]*",
            value,
            "shell",
        ),
    ),
    "puppet": ((r"\bexec\s*\{\s*(?=[\"'][^\"'\n]* )", quoted_text, "shell"), (r"\bcommand\s*=>\s*", quoted_text, "shell")),
    "chef": (
        (r"\A", whole, "ruby"),
        (r"^[ \t]*command[ \t(]+(?=[\"'])", quoted_text, "shell"),
        (r"^[ \t]*execute[ \t(]+(?=[\"'][^\"'\n]* )", quoted_text, "shell"),
        (r"^[ \t]*code[ \t(]+<<[-~]?['\"]?\w+['\"]?[ \t]*\n", up_to(r"^[ \t]*[A-Z]+[ \t]*$"), "shell"),
        (r"^[ \t]*code[ \t(]+(?=[\"'])", quoted_text, "shell"),
    ),
    "pyinfra": ((r"\A", whole, "python"), (r"\bserver\.shell\([^()]*?\bcommands\s*=\s*", quoted_text, "shell")),
    # calculators and statistics
    "stata": ((r"^[ \t]*(?:shell|winexec|!)[ \t]*", rest_of_line, "shell"),),
    "sas": ((r"^[ \t]*(?:x|%sysexec|call[ \t]+system\()[ \t]*(?=[\"'])", quoted_text, "shell"),),
    "ghci": ((r"^[ \t]*:!", rest_of_line, "shell"), (r"\A", whole, "haskell")),
    "calculator": (
        (r"\b(?:system|shell|unix|unix_g|host|extern)\s*\(\s*(?=[\"'])", quoted_text, "shell"),
        (r"^[ \t]*!", rest_of_line, "shell"),
    ),
}
_OF_FILE = "-file"
"""Ends the language of a file that the code loads, instead of its name."""
_ROWS = {
    language: tuple((re.compile(pattern, re.MULTILINE), extent, inner) for pattern, extent, inner in rows)
    for language, rows in _TABLE.items()
}
_COMMENT_MARKS = {
    **dict.fromkeys(("tex",), "%"),
    **dict.fromkeys(("nextflow", "stata"), "//"),
    **dict.fromkeys(("lein", "chef"), ";"),
    **dict.fromkeys(("markdown", "org", "transcript", "bats", "package-script", "calculator", "sas", "rpm", "ghci"), ""),
}
"""What begins a comment that is a whole line, if it is not a number sign. Empty where the reader of the code reads comments."""
_INSERTED = {
    "nextflow": re.compile(r"(?<!\\)\$(?:\{[^{}]*\}|\w+)|!\{[^{}]*\}"),
    "nix": re.compile(r"(?<!'')\$\{[^{}]*\}"),
    "packer": re.compile(r"\$\{[^{}]*\}"),
    "rpm": re.compile(r"%\{[^{}]*\}"),
    "bitbake": re.compile(r"\$\{(?!HOME\})[^{}]*\}"),
    "starlark": re.compile(r"\$(?:\([\w ]+:?[^()\s]*\)|@|<|\{[^{}]*\})"),
    "jam": re.compile(r"\$\([\w<>:./-]*\)"),
}
"""What a program replaces in the embedded code: mostly a path below the folder of the build."""
_INSERTED_PATH = "inserted"
_FOLDERS_OF_BUILD = {
    "package-script": "srcdir=./src builddir=./src startdir=. pkgdir=./pkg DESTDIR=./image D=./image ED=./image S=./src"
    " WORKDIR=./work T=./temp",
    "bitbake": "D=./image S=./src B=./build WORKDIR=./work T=./temp",
    "snapcraft": "CRAFT_PART_INSTALL=./install CRAFT_PART_SRC=./src CRAFT_PART_BUILD=./build CRAFT_STAGE=./stage"
    " CRAFT_PRIME=./prime CRAFT_PROJECT_DIR=. SNAPCRAFT_PART_INSTALL=./install SNAPCRAFT_PART_SRC=./src"
    " SNAPCRAFT_PART_BUILD=./build",
    "rpm": "RPM_BUILD_ROOT=./root RPM_BUILD_DIR=./build RPM_SOURCE_DIR=./sources",
    "bats": "BATS_TEST_TMPDIR=/tmp/bats BATS_TMPDIR=/tmp/bats BATS_FILE_TMPDIR=/tmp/bats BATS_SUITE_TMPDIR=/tmp/bats"
    " BATS_TEST_DIRNAME=.",
}
"""Variables that a program sets before it runs the code."""
_USUAL_IMPORTS = "import os, shutil, subprocess, sys, pathlib"
"""Imports for a part of a file, whose own may stand elsewhere."""


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if mark := _COMMENT_MARKS.get(code.language, "#"):
        text = re.sub(rf"^[ \t]*{re.escape(mark)}(?!\(|!/)[^\n]*", "", text, flags=re.MULTILINE)
    if (inserted := _INSERTED.get(code.language)) is not None:
        text = inserted.sub(_INSERTED_PATH, text)
    folders = _FOLDERS_OF_BUILD.get(code.language, "")
    for pattern, extent, language in _ROWS[code.language]:
        for found in pattern.finditer(text):
            if not (piece := extent(text, found.end())).strip():
                continue
            if language.endswith(_OF_FILE):
                yield from _interpret_named_file(language.removesuffix(_OF_FILE), piece, context)
                continue
            if folders and language == "shell":
                piece = f"{folders}\n{piece}"
            if language == "python" and extent is not whole:
                piece = f"{_USUAL_IMPORTS}\n{piece}"
            yield Interpret(
                language, word_from_text(piece, code.code.src), context.origin, via=Carrier(code.language), file=code.file
            )


def _interpret_named_file(language: str, name: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Interprets a file that the code loads; one of Python's in that language."""
    file = word_from_text(name.strip("\"'").replace("~", context.home, 1) if name.startswith("~") else name.strip("\"'"))
    yield Read(context.resolve_place(file), context.origin)
    for content in context.read_alternatives(file):
        own = "python" if file.tail.endswith(".py") else language
        yield Interpret(own, content, context.origin, via=Carrier(file.display_text), file=file.display_text)
