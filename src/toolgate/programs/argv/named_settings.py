"""Commands in the settings of a program: `logrotate -s state own.conf`, `dvc repro` beside `dvc.yaml`.

No table lists what all programs read. Their settings are the files that the arguments name, and those of the current folder that
this session wrote and that are named after the program. A key named after a command (`exec`, `postrotate`, `passwordeval`) whose
value begins with the name of a program with a row is read as a line of the shell, in whatever syntax the file has: `key = value`,
`key: value`, `key value`, a list of words in brackets, a block of lines, or a line of a crontab.
"""

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, Opaque, Read
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.unread_code import opaque_for_unread
from toolgate.model.word import Word, known_word

_MAX_LENGTH = 65_536  # characters of a file that is searched
_MAX_COMMANDS = 200  # of one file
_is_settings_file = re.compile(
    r"(?:.*/)?(?:[\w.+-]+\.(?:conf|cfg|cnf|cf|config|ini|rc|toml|ya?ml|json5?|kdl|edn|hcl|properties|service|ovpn|cwl|def|ninja|crontab|cron"
    r"|config\.[cm]?[jt]s)|\.?\w+rc|[\w-]*(?:conf|config|crontab)|[A-Z][a-z]+file)"
).fullmatch
_SETTINGS_OPTIONS = ("-F", "-c", "-C", "-f", "-K", "--config", "--conf", "--config-file", "--configuration", "--file", "--rcfile")
"""Options whose value is rather a settings file of any name."""
_is_bare_file = re.compile(r"[\w~/.-]*[\w]").fullmatch
_READS_AS_TEXT = re.compile(
    r"lint|fmt|format|check|valid|schema|prettier|diff|grep|cat$|^(?:jq|yq|taplo|dprint|biome|vale|cspell|bat|wc)"
)
"""Matches programs that read any settings as text, and run nothing that they name."""
_KEY = (
    r"(?:(?:\w+[._-])*(?:command|cmd|exec|execute|run|script|shell|hook|program|eval|mda|inline)s?"
    r"(?:[._-](?!dir\b|path\b|name\b|timeout\b)\w+)*"
    r"|\w*(?:command|cmd|exec|script|hook)|exec\w+|password_?eval"
    r"|(?:pre|post)_?(?:connect|rotate|remove|up|down|start|stop|run)|(?:first|last)action|(?:before|after|on|pre|post)_\w+"
    r"|up|down|notify_\w+|include_shell)"
)
_KEY_WITH_VALUE = re.compile(
    rf"""(?:^|(?<=[\s{{(,]))["':]?{_KEY}["']?(?:\s*[:=]\s*|[ \t]+)(?P<value>\S.*)$|^\s*(?:[\d*,/-]+[ \t]+){{5}}(?P<timed>\S.*)$""",
    re.IGNORECASE,
)
_KEY_OF_BLOCK = re.compile(
    rf"""\s*(?:-\s+)?["']?{_KEY}["']?\s*(?:[:=]\s*)?(?:[|>][+-]?|\[|\{{|''|\"\"\"|''')?\s*$""", re.IGNORECASE
)
_ENTRY = re.compile(r"""["']?[\w:.-]+["']?\s*[:=]\s*(?P<value>\S.*)""")
_END_OF_BLOCK = re.compile(r"""\s*(?:end\w*|\}|\]|''|\"\"\"|''')[;,]?\s*$""")
_COMMENT = re.compile(r"\s*(?:#|//|;|--\s)")
_CREDENTIAL_PATH = re.compile(
    r"^(?![^\n]*(?:identity|key|cert|known_hosts|kubeconfig))[^#\n]*?[\s\"'=:](?P<path>(?:~|/home/\w+|/root|/Users/\w+)"
    r"/\.(?:ssh/id_\w+|aws/credentials|netrc|git-credentials|kube/config|docker/config\.json|npmrc|pgpass|gnupg/[\w./-]+))",
    re.IGNORECASE | re.MULTILINE,
)
"""Matches a file with secrets that a setting names, other than for logging in."""
_QUOTED = re.compile(r"""\"((?:\\.|[^"\\])*)\"|'([^']*)'""")


def find_settings_commands(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Interpret | Opaque | Read]:
    """Yields the commands in the settings of a program of this name."""
    if _READS_AS_TEXT.search(name):
        return
    for file in _list_settings(name, argv, context):
        for text in context.read_alternatives(file):
            if text.text is not None and len(text.text) <= _MAX_LENGTH:
                via = Carrier(file.display_text)
                commands = list_commands(text.text)
                if len(commands) > _MAX_COMMANDS:
                    why = f"it has more than {_MAX_COMMANDS} commands"
                    yield opaque_for_unread(file.display_text, why, context.origin)
                for command in commands[:_MAX_COMMANDS]:
                    yield Interpret("shell", known_word(command, text.src), context.origin, via=via)
                for path in _CREDENTIAL_PATH.findall(text.text):
                    yield Read(context.resolve_place(known_word(path, text.src)), context.origin)


def _list_settings(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Word]:
    for before, word in pairwise(argv):
        _, attached, value = word.partition("=")
        file = value if attached else word
        option = word.partition("=")[0].text if attached else before.text
        if _is_settings_file(file.text or "") or (option in _SETTINGS_OPTIONS and _is_bare_file(file.text or "")):
            yield file
    folder = context.resolve_place(known_word(".")).path
    for path in context.list_written_files(folder, name) if folder is not None else ():
        inner = path.removeprefix(f"{folder}/")
        named_after = rf"\.?{re.escape(name)}(?![a-z])|[\w-]+\.{re.escape(name)}$"
        if _is_settings_file(inner) and re.match(named_after, inner, re.IGNORECASE):
            yield known_word(path)


def list_commands(text: str) -> list[str]:
    """Returns the command lines among settings."""
    found: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        if _COMMENT.match(line):
            continue
        if _KEY_OF_BLOCK.match(line):
            indent, block = _indent_of(line), []
            for each in lines:
                if _END_OF_BLOCK.match(each) or (each.strip() and _indent_of(each) < indent):
                    break
                block.append(each)
            found += _read_block(block)
        elif match := _KEY_WITH_VALUE.search(line):
            found += _read_value(match["value"] or match["timed"])
    return [each for each in found if _begins_with_program(each)]


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def _read_block(lines: list[str]) -> list[str]:
    """Returns the commands in the lines below a key: the values of inner keys, the items of a list, or the lines of one script."""
    bare = [line.strip() for line in lines if line.strip()]
    if any(line.startswith(("- ", '"', "'")) for line in bare):
        return [command for line in bare for command in _read_value(line.removeprefix("- "))]
    entries = [entry["value"] for line in bare if (entry := _ENTRY.match(line))]
    return [command for value in entries for command in _read_value(value)] or ["\n".join(bare)]


def _read_value(value: str) -> list[str]:
    """Returns the commands in a value: one without its quotes, the words of a list, or the texts of one."""
    value = value.strip()
    texts = [double or single for double, single in _QUOTED.findall(value)]
    if value.startswith("["):
        is_argv = bool(texts) and " " not in texts[0]
        return [" ".join(map(shlex.quote, texts))] if is_argv else texts
    if value[:1] in ("'", '"'):
        return texts[:1]
    if value.count('"') % 2:  # the end of a text that contains the key, too
        value = value.partition('"')[0]
    return [value.rstrip(";,}] ")]


def _begins_with_program(command: str) -> bool:
    """Returns whether a text begins with the name of a program with a row, and an argument."""
    from toolgate.programs import find_row

    name, _, arguments = command.strip().partition(" ")
    is_path = name.startswith(("/", "./", "~/")) and not name.endswith("/")
    return bool(arguments.strip()) and (is_path or find_row(name.rpartition("/")[2]) is not None)
