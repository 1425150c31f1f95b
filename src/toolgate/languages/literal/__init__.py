"""R, Julia and others by a literal reading, Perl and Go where their grammars are not installed: calls that run a command, delete
or write a file, with their literal arguments. Code given inline whose dangerous call has a computed argument is unknown; a file's
is left alone."""

import re
from collections.abc import Iterator

from toolgate.languages import glob_word, word_from_text
from toolgate.model.effect import Carrier, Connect, Delete, Interpret, Move, Opaque, Operation, Read, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, unknown_word

from .calls import CALLS, FOLDED_LANGUAGES, Calls
from .indirect_deletions import report_indirect_deletions
from .loops import with_members
from .patterns import blank_patterns

_STRING = re.compile(r"""\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|`((?:\\.|[^`\\])*)`)""")
_OPENING = re.compile(r"\s*\[")
_GLOB = re.compile(
    r"""\s*(?:(?:Sys\.)?glob\s*\(?|Dir\.glob\s*\(?|Dir\s*\[|(?P<folder>list\.files\s*\(\s*(?:path\s*=)?))\s*(?:"([^"$#]*)"|'([^']*)')"""
    r"""|\s*<([\w./~*?\[\]-]+)>"""
)
"""All files that a literal glob finds, or R's `list.files` in a folder."""
_LIST = re.compile(r"\s*,\s*\[?|\s*\[|\s+(?=\")")
"""Between two arguments; in Lisp that is a space."""


_SOCKET = re.compile(
    r"\b(?:fsockopen|stream_socket_client|TCPSocket|IO::Socket|Socket;|net\.connect|net\.Socket|net\.Dial"
    r"|using Sockets|createConnection|Deno\.connect|gen_tcp|socket\.tcp|socketConnection)"
    r"|\bsocket\s*[ (]|/inet/tcp"
)
_DOWNLOADS = re.compile(
    r"`\s*(?:curl|wget)\b|\b(?:popen|execute|shell_exec)\s*\(?\s*[\"'](?:curl|wget)\b"
    r"|:httpc\.request|\b(?:Req|HTTPoison|Tesla|Mojito)\.get|\bFinch\.|\bHttpClient\b|\bURL\s*\(\s*[\"']https?:|\bSource\.fromURL|\brequests\.get"
    r"|\b(?:URI\.open|Net::HTTP|LWP|HTTP::Tiny|curl_exec|file_get_contents\s*\(\s*[\"']https?:|fetch\s*\(|https?\.get|axios|got\s*\(|urlopen|socket\.http|open-uri|url-retrieve)|\bget\s*\(?\s*[\"']https?:"
)
_DECODES = re.compile(
    r"\b(?:decode_base64|Base64\.\w*decode\w*|base64_decode|gzinflate|gzuncompress|str_rot13|hex2bin|atob|unpack1?\s*\(?\s*[\"'][mHuw]|\bpack\s*\(?\s*[\"'][mHB]|Buffer\.from\s*\([^)]*[\"'](?:base64|hex)|mime\.unb64|base64-decode-string|chr\s*\(?\s*(?:hex|oct)\b)"
)
_SENDS = re.compile(
    r"\b(?:Net::HTTP\.(?:post|get|start|new)|HTTParty\.|Faraday\.|RestClient\.|LWP|HTTP::Tiny|curl_exec|curl_setopt|file_get_contents\s*\(\s*[\"']https?:)"
)
_ENVIRONMENT = re.compile(r"\bENV\b(?!\s*\[|\.fetch|\.key|\.dig)|%ENV\b|\$_ENV\b(?!\s*\[)|\bgetenv\s*\(\s*\)")
"""All variables of the environment at once."""
_SHELL = re.compile(r"/bin/(?:ba|z|da)?sh|\b(?:ba|z|da)?sh\s+(?:-i|<&)|[\"'`](?:ba|z|da)?sh[\"'`]|`\s*\$_|cmd\.exe|powershell")
_ASKED = re.compile(
    r"\b(exec(?:ute(?:Update|Query)?|_params)?|query|do|prepare(?:Statement)?|(?:mysqli?|pg|sqlite)_query)\b\s*\(?[^;\n\"']*[\"']\s*((?:drop|truncate|delete|update|alter)\s[^\"']*)[\"']",
    re.IGNORECASE,
)
"""What is asked of a database in SQL."""
_KILLS_ALL = re.compile(r"(?:\bProcess\.kill|\bposix_kill|\bkill)\b[^;\n]*?(?<![\w.)])-1\b(?!\s*[-+*/])")
_FORKS = re.compile(
    r"(?:while|for)\s*\([^)]*\)\s*\{?\s*(?:pcntl_)?fork|\bfork\s+while\b|\bwhile\s*\(?\s*(?:1|true)?\s*\)?\s*(?:\{|;|\bdo\b|\n)\s*fork\b|\bloop\s+do\s+fork|\bloop\s*\{\s*fork"
    r"|\bfork\s*\(?\)?\s*while\b|while\s*\(\s*(?:pcntl_)?fork\s*\(\s*\)"
    r"|while\s*\(?\s*(?:1|true)\s*\)?\s*(?:do\b|\{)?\s*(?:os\.execute|system|exec|popen|spawn)\s*\(?\s*[\"'][^\"']*&\s*[\"']"
)
_GROWS = re.compile(
    r"\bwhile\s*\(?\s*(?:1|true)\s*\)?\s*(?:do\b|\{)?[^;{}\n]*(?:\.=|<<|\[\]\s*=|\bpush\b|\+=\s*[\"'])(?![^}]*\b(?:sleep|last|break|exit)\b)"
    r"|(?:\.=|\bpush\b)[^;{}\n]*\bwhile\s+1\b"
)
"""A loop without an end that keeps more in every round."""


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    calls = CALLS[code.language]
    text = blank_patterns(text, code.language)
    if code.language in FOLDED_LANGUAGES:
        from .assigned_texts import substitute_constants

        text = substitute_constants(text, code.language, context.home)
    text = with_members(_with_home(text, context.home), code.language, (*_harmful(calls), calls.reads))
    if not code.file:
        yield from _inline(code, text, calls, context)
    elif code.code.src:  # a file that this call wrote
        yield from _written_before(code, text, calls, context)
    for match in calls.runs.finditer(text):
        yield from _run(text, match, code, context)
    for pattern, recursive in ((calls.deletes, False), (calls.deletes_all, True)):
        for match in pattern.finditer(text):
            for target in _arguments(text, match.end(), context):
                yield Delete(context.resolve_place(target, follow=False), recursive, context.origin)
    yield from report_indirect_deletions(text, calls.walks, context)
    yield from _report_file_effects(text, calls, code, context)


def _report_file_effects(text: str, calls: Calls, code: Interpret, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the writes, moves, copies and reads of files."""
    if code.language in FOLDED_LANGUAGES:
        from .literal_files import report_literal_files

        yield from report_literal_files(text, calls.reads, context)
    for target in find_first_arguments(text, calls.writes, context):
        yield Write(context.resolve_place(target), None, None, context.origin)
    for match in calls.moves.finditer(text):
        if len(words := _arguments(text, match.end(), context)) > 1:
            yield Move(context.resolve_place(words[0], follow=False), context.resolve_place(words[1]), context.origin)
    for match in calls.copies.finditer(text):
        yield from _report_copy(_arguments(text, match.end(), context), context)
    for match in calls.opens.finditer(text):
        yield from _report_opened_files(_arguments(text, match.end(), context)[:2], calls, code, context)
    for target in find_first_arguments(text, calls.reads, context):
        yield Read(context.resolve_place(target), context.origin)
        context.read(target)


def find_first_arguments(text: str, functions: re.Pattern[str], context: ExecutionContext) -> Iterator[Word]:
    """Yields the literal first argument of each call of these functions; several for a glob."""
    for match in functions.finditer(text):
        yield from _arguments(text, match.end(), context)[:1]


def _report_copy(words: list[Word], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if len(words) > 1:
        source = context.resolve_place(words[0])
        yield Read(source, context.origin, tree=True)
        yield Write(context.resolve_place(words[1]), context.read(words[0]), None, context.origin, tree=None, source=source)


_HOME = re.compile(
    r"\bDir\.home\b(?!\()|\$?\bENV\s*[\[{]\s*[\"']?HOME[\"']?\s*[\]}]|\b(?:os\.)?getenv\s*\(\s*[\"']HOME[\"']\s*\)|\$_(?:SERVER|ENV)\s*\[\s*[\"']HOME[\"']\s*\]"
)


def _with_home(text: str, home: str) -> str:
    """The home folder, however a language calls it, as the text that it is: within a string it stands as it is."""
    text = re.sub(r"(?:#\{\s*|(?<=[\"]))(?:" + _HOME.pattern + r")(?:\s*\})?(?=[^\"\n]*\")", home, text)
    return _HOME.sub(f'"{home}"', text)


def _report_opened_files(words: list[Word], calls: Calls, code: Interpret, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`open(F, '>', 'x')`, `open F, ">x"`, `open(F, "cmd |")`; elsewhere `open("x", "w")`, and in Ruby `open("|cmd")`."""
    first = words[0].text if words else None
    if first is None:
        return
    if calls.mode_first:
        found = _MODE.fullmatch(first.strip())
        mode, name = (found[1], found[2]) if found else ("", first)
        target = words[1] if not name and len(words) > 1 else word_from_text(name.strip())
    else:
        mode, target = (words[1].text or "") if len(words) > 1 else "", words[0]
    command = (target.text or "").strip()
    if "|" in mode or command.startswith("|") or (calls.mode_first and command.endswith("|")):
        yield Interpret("shell", word_from_text(command.strip("|").strip()), context.origin, via=Carrier(code.language, "open"))
    elif ">" in mode or "+" in mode or mode[:1] in ("w", "a", "x", "c"):
        yield Write(context.resolve_place(target), None, None, context.origin)
    else:
        yield Read(context.resolve_place(target), context.origin)
        context.read(target)


_MODE = re.compile(r"(\+?[<>]{1,2}|\|-?|-\||)(?::[\w():-]+)?\s*(.*)", re.DOTALL)


def _inline(code: Interpret, text: str, calls: Calls, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """What is suspicious in a line given on the command line, and common in a file."""
    computed = any(_is_computed(text, match) for match in calls.runs.finditer(text))
    computed = computed or any(
        _is_computed(text, match) and _GLOB.match(text, match.end()) is None
        for pattern in (calls.deletes, calls.deletes_all, calls.writes)
        for match in pattern.finditer(text)
    )
    computed = computed or any(_is_made_of(text, match, code.language) for match in calls.runs.finditer(text))
    if computed or calls.evaluates.search(text):
        yield from _report_computed_code(code, text, context)
    elif _DECODES.search(text):  # who runs what this prints, runs what nobody could read
        yield Operation("text.decode", context.origin)
    if _SOCKET.search(text) and (computed or calls.evaluates.search(text) or _SHELL.search(text)):
        yield Operation("network.shell", context.origin)
    if (_SENDS.search(text) or _SOCKET.search(text)) and _ENVIRONMENT.search(text):
        yield Operation("environment.print", context.origin)
        yield Connect(
            unknown_word("a server"), context.origin, unknown_word("the environment", frozenset({context.origin.command}))
        )
    yield from _report_replication(text, context)
    yield from _report_quoted_commands(code, text, calls, context)
    if code.language == "beam" and not code.of_test and _EMPTIES_TABLE.search(text):
        yield Operation("database.delete", context.origin, known_word("every row"), (("disposable", False),))
    if code.language == "applescript":
        yield from _report_told_applications(text, context)
    if code.language in _DATABASE_LANGUAGES:
        yield from _report_statements(code, text, context)
    if code.language != "perl":
        return
    if _KILLS_ALL.search(text):
        yield Operation("process.kill", context.origin, known_word("-1"), (("everything", True), ("by_name", False)))


_DATABASE_LANGUAGES = ("perl", "jvm")
_IN_MEMORY = re.compile(r":memory:|\bjdbc:(?:h2:mem|hsqldb:mem|derby:memory)|\bmem:test")


def _report_statements(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the statements that change data, unless the database exists in memory only."""
    for match in _ASKED.finditer(text) if _IN_MEMORY.search(text) is None else ():
        yield Interpret("sql", word_from_text(match[2]), context.origin, via=Carrier(code.language, match[1]))


_EMPTIES_TABLE = re.compile(r"\bRepo\.delete_all\(?\s*[\w.]+\s*\)?\s*$", re.MULTILINE)
"""Elixir's `Repo.delete_all(User)`: a table, and no query that selects rows of it."""
_TURNS_OFF = re.compile(r"\b(?:shut down|restart|log out|sleep)\b")
_FINDER = re.compile(r"\bdelete\s*\(?\s*(?:every|all|items|contents|home|startup disk|desktop|folder\s+\"[^\"]*\"\s+of\b)")
_EMPTIES_TRASH = re.compile(r"\bempty\s+(?:the\s+)?trash\b")


_SENDS_MESSAGE = re.compile(r"(?s)\"(?:Mail|Messages|Microsoft Outlook)\".*\bsend\b")
_POSIX_FILE = re.compile(r"POSIX file\s*\(?\"([^\"]+)\"")


def _report_told_applications(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what AppleScript tells other applications to do, and what it asks the user for."""
    if "make login item" in text or "make new login item" in text:
        yield Operation("schedule.change", context.origin)
    if "hidden answer" in text:
        yield Operation("credential.print", context.origin, known_word("a password that the user is asked for"))
    for file in map(known_word, _POSIX_FILE.findall(text) if _SENDS_MESSAGE.search(text) else ()):
        yield Read(context.resolve_place(file), context.origin)
        yield Connect(
            known_word("mail"), context.origin, unknown_word("a file", context.read(file).src | {context.origin.command})
        )
    if "System Events" in text or '"Finder"' in text or "loginwindow" in text:
        if match := _TURNS_OFF.search(text):
            yield Operation("power.off", context.origin, known_word(match[0]))
        if _EMPTIES_TRASH.search(text):
            yield Delete(context.resolve_place(known_word(f"{context.home}/.Trash")), True, context.origin)
        if _FINDER.search(text):
            yield Delete(context.resolve_place(known_word(context.home)), True, context.origin)


def _written_before(code: Interpret, text: str, calls: Calls, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A file that this very call wrote: what else would be suspicious inline."""
    if _SOCKET.search(text) and _SHELL.search(text):
        yield Operation("network.shell", context.origin)
    if calls.evaluates.search(text) and _DOWNLOADS.search(text):
        yield from _report_computed_code(code, text, context)
    if code.language in _DATABASE_LANGUAGES and "jdbc:" in text:
        yield from _report_statements(code, text, context)
    yield from _report_replication(text, context)
    yield from _report_quoted_commands(code, text, calls, context)


def _report_replication(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if _FORKS.search(text):
        yield Operation("process.replicate", context.origin)
    if _GROWS.search(text):
        yield Operation("memory.fill", context.origin)


def _report_quoted_commands(code: Interpret, text: str, calls: Calls, context: ExecutionContext) -> Iterator[ReportedEffect]:
    for match in calls.quoted.finditer(text):
        shell = next((group for group in match.groups() if group), "")
        yield Interpret("shell", word_from_text(shell), context.origin, via=Carrier(code.language, "quotes"))


def _report_computed_code(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the code that a call computes at run time: from a response, from an encoded text, or otherwise."""
    made = unknown_word(f"the result of this {code.language} code", frozenset({context.origin.command}))
    if _DOWNLOADS.search(text):
        yield Connect(unknown_word("a server"), context.origin)
    elif _DECODES.search(text):
        yield Operation("text.decode", context.origin)
    else:
        yield Opaque(f"the argument of a call in this {code.language} code is computed", context.origin)
        return
    yield Interpret(code.language, made, context.origin, via=Carrier("this", f"{code.language} code"))


def _harmful(calls: Calls) -> tuple[re.Pattern[str], ...]:
    return calls.runs, calls.deletes, calls.deletes_all, calls.writes


def _is_computed(text: str, match: re.Match[str]) -> bool:
    """Is the first argument no literal?"""
    opening = _OPENING.match(text, match.end())
    return _STRING.match(text, opening.end() if opening else match.end()) is None


def _is_made_of(text: str, match: re.Match[str], language: str) -> bool:
    """Does the call take what a literal is made into: what a command between backquotes prints, `["726d"].pack(..)`?"""
    opening = _OPENING.match(text, match.end())
    literal = _STRING.match(text, opening.end() if opening else match.end())
    if literal is None:
        return False
    if literal[0].lstrip().startswith("`"):
        return language == "perl"
    return _METHOD.match(text, literal.end()) is not None


_METHOD = re.compile(r"\s*+\]?\s*+\.\s*(?:pack|unpack1?|tr|reverse|gsub|sub|swapcase|map|join|split)\b")


def _run(text: str, match: re.Match[str], code: Interpret, context: ExecutionContext) -> Iterator[ReportedEffect]:
    statement_end = text.find(";", match.end())
    words = _arguments(text, match.end(), context)
    for added in _ADDED_ARGUMENTS.finditer(text, match.end(), len(text) if statement_end < 0 else statement_end):
        words += _arguments(text, added.end(), context)
    via = Carrier(code.language, match[0].strip(" ("))
    if len(words) > 1 and words[0].text is not None and " " not in words[0].text:
        yield Run(tuple(words), context.origin, via)
    elif words:
        yield Interpret("shell", words[0], context.origin, via=via)


_ADDED_ARGUMENTS = re.compile(r"\.args?\s*\(\s*(?:&?\[|vec!\[)?\s*")
"""Rust builds a command by calls: `Command::new("sh").arg("-c").args(["x", "y"])`."""


def _arguments(text: str, at: int, context: ExecutionContext) -> list[Word]:
    """The literal arguments from here on."""
    words: list[Word] = []
    if (found := _GLOB.match(text, at)) is not None:
        pattern = next(group for group in found.groups()[1:] if group is not None)
        return [glob_word(_build_literal(f"{pattern}/*" if found["folder"] else pattern, context))]
    opening = _OPENING.match(text, at)
    at = opening.end() if opening else at
    while len(words) < 16:
        match = _STRING.match(text, at)
        if match is None:
            break
        made = _build_literal(_literal(match), context)
        while (more := _JOINED.match(text, match.end())) is not None:
            following = _STRING.match(text, more.end())
            if following is None:
                made = made + unknown_word("text added to it")
                break
            made, match = made + _build_literal(_literal(following), context), following
        words.append(made)
        separator = _LIST.match(text, match.end())
        if separator is None:
            break
        at = separator.end()
    return words


def _literal(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group is not None)


_JOINED = re.compile(r"\s*(?:\+|\.(?=\s*[\"'$])|\.\.(?!\.))")
"""Between two halves of a text: `+`, Perl's and PHP's dot, Lua's two."""


def _build_literal(literal: str, context: ExecutionContext) -> Word:
    if "${" in literal or "#{" in literal:
        return unknown_word(literal[:60])
    literal = literal.replace('\\"', '"').replace("\\'", "'").replace("\\n", "\n")
    return known_word(context.home + literal[1:]) if literal == "~" or literal.startswith("~/") else word_from_text(literal)
