"""PowerShell, parsed by its grammar (tree-sitter-powershell): cmdlets by a table, other programs unchanged.

Text that the grammar cannot parse, or in which it finds no command, is unknown.
"""

import re
from collections.abc import Iterator
from typing import Any

from toolgate.model.effect import (
    Carrier,
    Connect,
    Interpret,
    Operation,
    PrintedOutput,
    ReportedEffect,
    Run,
    Write,
)
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.unread_code import opaque_for_unread
from toolgate.model.word import EMPTY, Word, encoded_word, glob_hole, join_words, known_word, unknown_word, variable_word

from .cmdlets import CMDLETS
from .directory_accounts import locks_out
from .grammar import CmdletArguments, is_attached, iter_nodes, list_elements, list_members, parse_tree
from .method_calls import is_understood, read_call
from .program_text import ScriptFiles, write_program


def _parse_table(text: str) -> dict[str, str]:
    """Parses `whole: begun begun`: maps each word to its whole name."""
    rows = (row.partition(":") for row in text.split(";"))
    return {word: whole.strip() for whole, _, words in rows for word in words.split()}


ALIASES = _parse_table(
    "remove-item: ri rm rmdir rd del erase; get-content: gc cat type; get-childitem: gci ls dir; set-content: sc;"
    " add-content: ac; clear-content: clc; copy-item: cp copy cpi; move-item: mv move mi; rename-item: ren rni;"
    " new-item: ni md mkdir; tee-object: tee; invoke-expression: iex; invoke-webrequest: iwr curl wget;"
    " invoke-restmethod: irm; start-process: saps start; invoke-command: icm; stop-process: spps kill;"
    " stop-service: spsv; set-location: cd sl chdir; select-string: sls"
)
OPERATIONS = _parse_table(
    "disk.destroy: format-volume clear-disk initialize-disk remove-partition reset-physicaldisk remove-virtualdisk;"
    " power.off: stop-computer restart-computer;"
    " account.change: new-localuser remove-localuser add-localgroupmember set-localuser disable-localuser;"
    " schedule.change: register-scheduledtask unregister-scheduledtask set-scheduledtask;"
    " trace.erase: clear-eventlog remove-eventlog clear-history;"
    " kernel.change: set-executionpolicy remove-itemproperty;"
    " firewall.change: set-mppreference add-mppreference set-netfirewallprofile remove-netfirewallrule disable-netfirewallrule"
    " new-netfirewallrule set-netfirewallrule"
)
REMOVING_VERBS = frozenset(("remove", "uninstall", "unregister", "revoke", "reset", "clear", "dismount"))
"""Verbs of cmdlets that remove something. They are from Microsoft's list of approved verbs."""
_SESSION_NOUNS = """
variable alias psdrive drive job event eventsubscriber module psmodule psresource package script psbreakpoint breakpoint
pssession session cimsession typedata formatdata psreadlinekeyhandler psreadlineoption host itemproperty content item history
dnsclientcache pssnapin packagesource psrepository psresourcerepository cache tempfile testdrive mock printjob smbmapping
display screen
"""
SESSION_NOUNS = frozenset(_SESSION_NOUNS.split())
"""Objects of the session, or those that are easily restored."""
FILTER_CMDLETS = frozenset(("where-object", "where", "?", "select-object", "select", "sort-object", "sort"))
UNIX_PROGRAMS = frozenset(
    ("rm", "rmdir", "cat", "ls", "cp", "mv", "mkdir", "tee", "curl", "wget", "kill", "type", "sort", "diff", "ps")
)
"""Aliases on Windows, programs on other systems."""

SWITCHES = frozenset(
    "recurse force confirm whatif passthru verbose debug append nonewline noclobber raw wait nonewwindow"
    " usebasicparsing asplaintext".split()
)
_DOWNLOAD_CALL = re.compile(r"\b(?:DownloadString|DownloadFile|DownloadData)\s*\(\s*[\"']?([^\"')]*)", re.IGNORECASE)
_DECODES = re.compile(r"FromBase64String|GzipStream|DeflateStream", re.IGNORECASE)
_PROFILE = "/.config/powershell/Microsoft.PowerShell_profile.ps1"
_HISTORY = "/.local/share/powershell/PSReadLine/ConsoleHost_history.txt"
_SOCKET = re.compile(r"Sockets\.(TCP|UDP)Client|TcpClient|UdpClient", re.IGNORECASE)
_RUNS_CODE = re.compile(r"\b(iex|Invoke-Expression|cmd(\.exe)?|powershell|StandardInput|Process|GetStream)\b", re.IGNORECASE)


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    files = ScriptFiles(context)
    text = write_program(text, code, files)
    try:
        root = parse_tree(text)
    except ImportError:
        cause = "its grammar, tree_sitter_powershell, is not installed"
        yield opaque_for_unread(code.file or "this PowerShell", cause, context.origin)
        return
    script = ScriptReader(context, code, files)
    commands = list(iter_nodes(root, "command"))
    calls = list(iter_nodes(root, "invokation_expression"))
    runs = commands or any(iter_nodes(root, "assignment_expression"))
    if root.has_error or not (runs or all(map(is_understood, calls))):
        yield opaque_for_unread(code.file or "this PowerShell", "it does not parse", context.origin)
    for node in iter_nodes(root, "assignment_expression"):
        script.learn_assignment(node)
    for node in commands:
        yield from script.read_command(node)
    if _SOCKET.search(text) and _RUNS_CODE.search(text):
        yield Operation("network.shell", context.origin)
    if _DECODES.search(text):
        yield Operation("text.decode", context.origin)
    for match in _DOWNLOAD_CALL.finditer(text):
        yield Connect(known_word(match[1]), context.origin)
    for node in calls:
        yield from read_call(script, node)
    output = context.unknown_output("the output of PowerShell")
    yield PrintedOutput(encoded_word("the output of PowerShell", join_words(script.printed), output.src))


def _removes_resource(cmdlet: str) -> bool:
    """Returns whether an unknown cmdlet removes something, by its verb, that matters, by its noun: `Remove-VM`."""
    verb, _, noun = cmdlet.partition("-")
    return verb in REMOVING_VERBS and noun.isalnum() and noun not in SESSION_NOUNS


_CHANGES = re.compile(
    r"(?:remove|clear|set|new|add|stop|restart|suspend|disable|enable|uninstall|install|unregister|register|reset|revoke|grant|rename"
    r"|move|copy|update|send|out|format|dismount|publish|unpublish|restore|checkpoint|import)-\w+"
).fullmatch
"""Matches cmdlets whose verb says that they change something."""
_DECLARES_REHEARSAL = re.compile(r"\[CmdletBinding\([^)]*SupportsShouldProcess", re.IGNORECASE)


def _is_rehearsed(code: Interpret) -> bool:
    """Returns whether a script that declares `SupportsShouldProcess` was called with `-WhatIf`, which its cmdlets inherit."""
    is_asked = any((word.text or "").lower() in ("-whatif", "-whatif:$true") for word in code.args)
    return is_asked and _DECLARES_REHEARSAL.search(code.code.text or "") is not None


class ScriptReader:
    def __init__(self, context: ExecutionContext, code: Interpret, files: ScriptFiles) -> None:
        self.seen, self.code = context, code
        self._files = files
        self.printed: list[Word] = []
        self._variables: dict[str, Word] = {}
        self._is_rehearsed = _is_rehearsed(code)
        """Whether cmdlets only say what they would change, since the script was called with `-WhatIf`."""

    # ---- words

    def learn_assignment(self, node: Any) -> None:
        left, right = node.children[0].text.decode(), node.children[-1]
        name = left.strip().lstrip("$").lower()
        self._variables[name] = self.to_word(right) if name not in self._variables else unknown_word(f"${name}")
        if name.startswith("env:"):
            self._variables[name] = self.to_word(right)

    def to_word(self, node: Any) -> Word:
        """Returns the text of an argument, as far as it is literal."""
        text: str = node.text.decode("utf-8", "replace")
        if node.type in ("generic_token", "command_name", "path_command_name_token", "simple_name"):
            return known_word(text.replace("`", ""))
        if node.type in ("verbatim_string_characters", "verbatim_here_string_characters"):
            return self._literal_word(text.strip("'").replace("''", "'"))
        if node.type in ("expandable_string_literal", "expandable_here_string_literal"):
            return self._expand_string(text.strip('"').strip("@\n").strip('"'), node)
        if node.type == "variable":
            return self._read_variable(text)
        if node.type.endswith("_literal") and not node.children:
            return known_word(text)
        if text.lower().endswith(").historysavepath"):
            return known_word(f"{self.seen.home}{_HISTORY}")
        if text.lower().startswith("$profile."):
            return known_word(f"{self.seen.home}{_PROFILE}")
        inner = [child for child in node.children if child.is_named]
        return self.to_word(inner[0]) if len(inner) == 1 else unknown_word(text[:60], frozenset({self.seen.origin.command}))

    def _expand_string(self, text: str, node: Any) -> Word:
        result, rest = EMPTY, text.replace('""', '"').replace("`", "")
        for child in [child for child in node.children if child.is_named]:
            piece = child.text.decode("utf-8", "replace")
            before, found, after = rest.partition(piece)
            if found:
                result, rest = result + self._literal_word(before) + self.to_word(child), after
        return result + self._literal_word(rest)

    def _literal_word(self, text: str) -> Word:
        """Returns the word of a literal text, from this command if a value of a file is written in it."""
        return known_word(text, frozenset({self.seen.origin.command} if self._files.holds_value(text) else ()))

    def _read_variable(self, text: str) -> Word:
        name = text.strip("${}").lower()
        if name in self._variables:
            return self._variables[name]
        folders = {
            "home": self.seen.home,
            "env:userprofile": self.seen.home,
            "env:home": self.seen.home,
            "env:temp": "/tmp",
            "env:tmp": "/tmp",
        }
        if name in ("true", "false"):
            return known_word(name.capitalize())
        if name == "profile":
            return known_word(f"{self.seen.home}{_PROFILE}")
        drives = {
            "env:systemroot": "/c/Windows",
            "env:windir": "/c/Windows",
            "env:systemdrive": "/c",
            "env:programfiles": "/c/Program Files",
        }
        found = {**folders, **drives}.get(name)
        if found:
            return known_word(found)
        if name.startswith("env:"):
            return variable_word(name.removeprefix("env:").upper())
        return self.seen.cwd if name == "pwd" else unknown_word(text)

    def convert_path(self, word: Word) -> Word:
        """Converts a Windows path to its name in Git Bash."""
        parts = tuple(part.replace("\\", "/") if isinstance(part, str) else part for part in word.parts)
        word = Word(parts, False, word.src)
        if drive := re.match(r"([A-Za-z]):/?", word.head):
            word = known_word(f"/{drive[1].lower()}/") + word.drop_first(len(drive[0]))
        if word.text is not None and len(word.text) > 1:
            word = known_word(word.text.rstrip("/") or "/", word.src)
        if word.text is not None and (word.text in ("*", "*.*") or word.text.endswith(("/*", "/*.*"))):
            return known_word(word.text.removesuffix(".*")[:-1], word.src) + Word((glob_hole("*"),))
        if word.text is None and word.tail.endswith(("/*", "/*.*")):  # cmdlets find names by patterns in quotes, too
            return Word((*word.parts[:-1], word.tail.removesuffix(".*")[:-1], glob_hole("*")), False, word.src)
        return known_word(self.seen.home, word.src) + word.drop_first(1) if word.head[:2] in ("~", "~/") else word

    # ---- commands

    def read_command(self, node: Any) -> Iterator[ReportedEffect]:
        head = next((child for child in node.children if child.type in ("command_name", "command_name_expr")), None)
        if head is None:
            return
        name = self.to_word(head)
        arguments, files = self._read_arguments(node)
        for file in files:
            yield Write(self.seen.resolve_place(self.convert_path(file)), None, None, self.seen.origin)
        text = (name.text or "").lower().removesuffix(".exe")
        cmdlet = ALIASES.get(text, text)
        if name.text is None:
            yield Interpret(
                "powershell",
                name.from_commands(frozenset({self.seen.origin.command})),
                self.seen.origin,
                via=Carrier("a name that is not known"),
            )
            return
        if self._is_rehearsed and _CHANGES(cmdlet):
            return
        if (does := CMDLETS.get(cmdlet)) is not None:
            yield from does(self, arguments, self._find_pipeline_source(node))
        elif cmdlet in OPERATIONS:
            yield Operation(
                OPERATIONS[cmdlet], self.seen.origin, join_words(arguments.words) if arguments.words else known_word(name.text)
            )
        elif locks_out(cmdlet, node.text.decode("utf-8", "replace")):
            target = known_word(f"{name.text}, which locks accounts of a directory")
            yield Operation("tool.act", self.seen.origin, target, (("excludes", True),))
        elif _removes_resource(cmdlet) and arguments.has_flag("whatif") is not True:
            target = join_words([name, *arguments.words])
            yield Operation("cloud.delete", self.seen.origin._replace(sure=None), target, (("dry_run", False),))
        if (text in UNIX_PROGRAMS and cmdlet != text) or (cmdlet == text and "-" not in text) or "/" in text or "\\" in text:
            yield Run(tuple(self._iter_argv(node, name)), self.seen.origin, Carrier("PowerShell"))

    def _iter_argv(self, node: Any, name: Word) -> Iterator[Word]:
        yield self.convert_path(name) if "\\" in name.outline else name
        for element in list_elements(node):
            if element.type != "redirection":
                is_name = element.type == "command_parameter"
                yield from (known_word(each.text.decode()) if is_name else self.to_word(each) for each in list_members(element))

    def _read_arguments(self, node: Any) -> tuple[CmdletArguments, list[Word]]:
        positions: list[tuple[Word, ...]] = []
        named: list[tuple[str, Word]] = []
        files: list[Word] = []
        waiting = ""
        for element in list_elements(node):
            if element.type == "redirection":
                names = list(iter_nodes(element, "redirected_file_name"))
                files += [
                    self.to_word(each)
                    for found in names
                    for each in found.children
                    if each.is_named and each.text.strip() not in (b"", b"$null")
                ]
            elif element.type == "command_parameter":
                begun, _, value = element.text.decode().lstrip("-").lower().partition(":")
                named.append((begun, known_word(value)))
                waiting = "" if value or any(switch.startswith(begun) for switch in SWITCHES) else begun
            elif waiting or is_attached(element):
                named[-1:] = [(named[-1][0], self.to_word(each)) for each in list_members(element)]
                waiting = ""
            else:
                positions.append(tuple(self.to_word(each) for each in list_members(element)))
        return CmdletArguments(tuple(positions), tuple(named)), files

    def _find_pipeline_source(self, node: Any) -> CmdletArguments | None:
        """Returns the arguments of the command that feeds the pipeline; commands that only filter it are skipped."""
        previous = node.prev_named_sibling
        while previous is not None and previous.type == "command" and self._is_filter(previous):
            previous = previous.prev_named_sibling
        if previous is None:
            return None
        return (
            self._read_arguments(previous)[0] if previous.type == "command" else CmdletArguments(((self.to_word(previous),),), ())
        )

    def _is_filter(self, node: Any) -> bool:
        head = next((child for child in node.children if child.type == "command_name"), None)
        return head is not None and (self.to_word(head).text or "").lower() in FILTER_CMDLETS
