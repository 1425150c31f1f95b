"""R, Julia and others by a literal reading, Perl and Go where their grammars are not installed: calls that run a command, delete
or write a file, with their literal arguments. Code given inline whose dangerous call has a computed argument is unknown; a file's
is left alone."""

import re
from collections.abc import Iterator

from toolgate.languages import word_from_text
from toolgate.languages.embedded.extents import tcl_command
from toolgate.model.effect import Carrier, Connect, Delete, Interpret, Move, Opaque, Operation, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, unknown_word

from .arguments import GLOB, find_first_arguments, is_computed, is_derived, is_found_in_folder, read_arguments
from .built_lists import write_built_lists
from .calls import CALLS, FOLDED_LANGUAGES, PROGRAM_LANGUAGES, Calls
from .commands import report_commands
from .endless_loops import appends_without_end, forks_without_end, takes_memory_without_end
from .home_folders import write_home_folders, write_home_in_texts
from .indirect_deletions import report_indirect_deletions
from .interpolated_calls import write_interpolated_calls
from .loops import with_members
from .package_sources import find_package_sources
from .patterns import blank_patterns
from .printed_variables import report_printed_variables
from .started_tasks import report_changed_tables
from .statements import report_statements
from .told_applications import report_told_applications

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
_KILLS_ALL = re.compile(r"(?:\bProcess\.kill|\bposix_kill|\bkill)\b[^;\n]*?(?<![\w.)])-1\b(?!\s*[-+*/])")


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    calls = CALLS[code.language]
    written = text
    own = text = _write_out(blank_patterns(text, code.language), code, calls, context)
    if code.language == "r" and code.is_program and (included := _include_sources(text, context)) != text:
        text = _write_out(included, code, calls, context)
    if not code.file or code.code.src:
        yield from find_package_sources(text, context)
    if not code.file:
        yield from _inline(code, own, calls, context)
    elif code.code.src:  # a file that this call wrote
        yield from _written_before(code, text, calls, context)
    elif code.is_program and code.language == "beam":
        yield from report_changed_tables(code, text, context)
    yield from _report_program_acts(code, text, written, context)
    yield from report_commands(text, calls, code, context)
    if code.language in FOLDED_LANGUAGES and (not code.file or code.code.src):
        yield from report_printed_variables(text)
    if code.file and not code.code.src and code.is_program and (pattern := _QUOTED_IN_FILES.get(code.language)) is not None:
        for match in pattern.finditer(text):
            yield Interpret("shell", word_from_text(match[1]), context.origin, via=Carrier(code.language, "quotes"))
    for pattern, recursive in ((calls.deletes, False), (calls.deletes_all, True)):
        for match in pattern.finditer(text):
            for target in read_arguments(text, match.end(), context):
                yield Delete(context.resolve_place(target, follow=False), recursive, context.origin)
    yield from report_indirect_deletions(text, calls.walks, context)
    yield from _report_file_effects(text, calls, code, context)


def _write_out(text: str, code: Interpret, calls: Calls, context: ExecutionContext) -> str:
    """Returns the code with its constants, its members of loops and the home folder written out."""
    if code.language in FOLDED_LANGUAGES:
        from .assigned_texts import substitute_constants
        from .declared_options import write_variables
        from .gradle_tasks import drop_unneeded_tasks, write_properties
        from .program_text import write_program, write_read

        text = write_variables(write_interpolated_calls(text), context)
        if code.language == "gradle":
            scripts = [each.text or "" for name in _BUILD_SCRIPTS for each in context.read_alternatives(known_word(name))]
            others = "\n".join(each for each in scripts if each.strip() != text.strip())
            arguments = [word.text or "" for word in code.args]
            settings = [each.text or "" for each in context.read_alternatives(known_word("gradle.properties"))]
            text = write_properties(drop_unneeded_tasks(text, arguments, others), arguments, "\n".join(settings))
        text = substitute_constants(write_program(text, code, context), code.language, context.home)
        for _ in range(_MOST_ROUNDS):
            if (read := write_read(text, code, context)) == text:
                break
            text = substitute_constants(read, code.language, context.home)
    elif code.language == "tcl":
        from .tcl import write_out_tcl

        text = write_out_tcl(text, context.home)
    else:
        text = write_home_folders(write_home_in_texts(text, context.home), context.home)
    text = write_built_lists(text) if code.language in FOLDED_LANGUAGES else text
    return with_members(text, code.language, (*_harmful(calls), calls.reads))


_QUOTED_IN_FILES = {
    "julia": re.compile(r"\b(?:run|read|readchomp|success|open|pipeline)\s*\(\s*`([^`]*)`"),
    "jvm": re.compile(r"\"([^\"\n]+)\"\s*(?:\.\s*execute\s*\(\s*\)|\.\s*!{1,2}(?![=\w]))"),
}
"""Commands between marks that a program in a file certainly runs."""
_MOST_ROUNDS = 3
_BUILD_SCRIPTS = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")


def _include_sources(text: str, context: ExecutionContext) -> str:
    from .program_text import include_sources

    return include_sources(text, context)


def _report_program_acts(code: Interpret, text: str, written: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what a program that a command starts does to databases and at services. `written`: its code before its loops were
    unrolled."""
    is_task = code.language == "gradle" and len(code.args) > 1
    if not (code.is_program and code.language in (*PROGRAM_LANGUAGES, "beam", "julia")) and not is_task:
        return
    from .command_functions import report_wrapped_commands
    from .database_acts import report_database_acts
    from .service_acts import report_service_acts

    yield from report_database_acts(code, text, context)
    yield from report_service_acts(text, written, context)
    yield from report_wrapped_commands(text, code.language, context)


def _report_file_effects(text: str, calls: Calls, code: Interpret, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the writes, moves, copies and reads of files."""
    if code.language in FOLDED_LANGUAGES or code.language == "tcl":
        from .literal_files import report_literal_files

        yield from report_literal_files(text, calls.reads, context)
    for target in find_first_arguments(text, calls.writes, context):
        yield Write(context.resolve_place(target), None, None, context.origin)
    for match in calls.moves.finditer(text):
        if len(words := read_arguments(text, match.end(), context)) > 1:
            yield Move(context.resolve_place(words[0], follow=False), context.resolve_place(words[1]), context.origin)
    for match in calls.copies.finditer(text):
        yield from _report_copy(read_arguments(text, match.end(), context), context)
    for match in calls.opens.finditer(text):
        yield from _report_opened_files(read_arguments(text, match.end(), context)[:2], calls, code, context)
    for target in find_first_arguments(text, calls.reads, context):
        yield Read(context.resolve_place(target), context.origin)
        context.read(target)


def _report_copy(words: list[Word], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if len(words) > 1:
        source = context.resolve_place(words[0])
        yield Read(source, context.origin, tree=True)
        yield Write(context.resolve_place(words[1]), context.read(words[0]), None, context.origin, tree=None, source=source)


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
    computed = any(is_computed(text, match) for match in calls.runs.finditer(text))
    computed = computed or any(
        is_computed(text, match) and GLOB.match(text, match.end()) is None and not is_found_in_folder(text, match, calls.walks)
        for pattern in (calls.deletes, calls.deletes_all, calls.writes)
        for match in pattern.finditer(text)
    )
    computed = computed or any(is_derived(text, match, code.language) for match in calls.runs.finditer(text))
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
        yield from report_told_applications(text, context)
    yield from report_statements(text, code.language, context, of_test=code.of_test)
    if code.language != "perl":
        return
    if _KILLS_ALL.search(text):
        yield Operation("process.kill", context.origin, known_word("-1"), (("everything", True), ("by_name", False)))


_EMPTIES_TABLE = re.compile(
    r"\bRepo\.delete_all(?:\(\s*|\s+)(?:[\w.]+|\"\w+\")\s*\)?\s*$|\b[A-Z][\w.]*\s*\|>\s*(?:[A-Z]\w*\.)*Repo\.delete_all\b",
    re.MULTILINE,
)
"""Elixir's `Repo.delete_all(User)`: a table, and no query that selects rows of it."""


def _written_before(code: Interpret, text: str, calls: Calls, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A file that this very call wrote: what else would be suspicious inline."""
    if _SOCKET.search(text) and _SHELL.search(text):
        yield Operation("network.shell", context.origin)
    if calls.evaluates.search(text) and _DOWNLOADS.search(text):
        yield from _report_computed_code(code, text, context)
    yield from report_statements(text, code.language, context)
    yield from _report_replication(text, context)
    yield from _report_quoted_commands(code, text, calls, context)


def _report_replication(text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if forks_without_end(text):
        yield Operation("process.replicate", context.origin)
    if takes_memory_without_end(text):
        yield Operation("memory.fill", context.origin)
    if appends_without_end(text):
        yield Operation("disk.fill", context.origin)


def _report_quoted_commands(code: Interpret, text: str, calls: Calls, context: ExecutionContext) -> Iterator[ReportedEffect]:
    for match in calls.quoted.finditer(text):
        shell = next((group for group in match.groups() if group), "")
        shell = tcl_command(shell, 0) if code.language == "tcl" else shell
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
