"""PowerShell, parsed by its grammar (tree-sitter-powershell): cmdlets by a table, other programs unchanged.

Text that the grammar cannot parse, or in which it finds no command, is unknown.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolgate.model.effect import (
    Carrier,
    Connect,
    Delete,
    Interpret,
    Move,
    Operation,
    PrintedOutput,
    Read,
    ReportedEffect,
    Run,
    Write,
)
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.unread_code import opaque_for_unread
from toolgate.model.word import EMPTY, Hole, Word, glob_hole, join_words, known_word, unknown_word

from .grammar import CmdletArguments, iter_nodes, list_elements, list_members, parse_tree


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
_STATIC_FILE_CALL = re.compile(
    r"\[(?:System\.)?IO\.(File|Directory)\]::(Delete|WriteAllText|WriteAllBytes|AppendAllText|Move|Copy)\(\s*[\"']([^\"']*)",
    re.IGNORECASE,
)
_SCRIPT_BLOCK = re.compile(r"\A\s*\{(.*)\}\s*\Z", re.DOTALL)


_SOCKET = re.compile(r"Sockets\.(TCP|UDP)Client|TcpClient|UdpClient", re.IGNORECASE)
_RUNS_CODE = re.compile(r"\b(iex|Invoke-Expression|cmd(\.exe)?|powershell|StandardInput|Process|GetStream)\b", re.IGNORECASE)


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    try:
        root = parse_tree(text)
    except ImportError:
        cause = "its grammar, tree_sitter_powershell, is not installed"
        yield opaque_for_unread(code.file or "this PowerShell", cause, context.origin)
        return
    script = _ScriptReader(context, code)
    commands = list(iter_nodes(root, "command"))
    if root.has_error or not (commands or text.strip() == "" or list(iter_nodes(root, "assignment_expression"))):
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
    for kind, verb, path in _STATIC_FILE_CALL.findall(text):
        place = context.resolve_place(script.convert_path(known_word(path)))
        yield (
            Delete(place, kind.lower() == "directory", context.origin)
            if verb.lower() in ("delete", "move")
            else Write(place, None, False, context.origin)
        )
    yield PrintedOutput(context.unknown_output("the output of PowerShell"))


def _removes_resource(cmdlet: str) -> bool:
    """Returns whether an unknown cmdlet removes something, by its verb, that matters, by its noun: `Remove-VM`."""
    verb, _, noun = cmdlet.partition("-")
    return verb in REMOVING_VERBS and noun.isalnum() and noun not in SESSION_NOUNS


class _ScriptReader:
    def __init__(self, context: ExecutionContext, code: Interpret) -> None:
        self._seen, self._code = context, code
        self._variables: dict[str, Word] = {}

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
            return known_word(text.strip("'").replace("''", "'"))
        if node.type in ("expandable_string_literal", "expandable_here_string_literal"):
            return self._expand_string(text.strip('"').strip("@\n").strip('"'), node)
        if node.type == "variable":
            return self._read_variable(text)
        if node.type.endswith("_literal") and not node.children:
            return known_word(text)
        inner = [child for child in node.children if child.is_named]
        return self.to_word(inner[0]) if len(inner) == 1 else unknown_word(text[:60], frozenset({self._seen.origin.command}))

    def _expand_string(self, text: str, node: Any) -> Word:
        result, rest = EMPTY, text.replace('""', '"').replace("`", "")
        for child in [child for child in node.children if child.is_named]:
            piece = child.text.decode("utf-8", "replace")
            before, found, after = rest.partition(piece)
            if found:
                result, rest = result + known_word(before) + self.to_word(child), after
        return result + known_word(rest)

    def _read_variable(self, text: str) -> Word:
        name = text.strip("${}").lower()
        if name in self._variables:
            return self._variables[name]
        folders = {
            "home": self._seen.home,
            "env:userprofile": self._seen.home,
            "env:home": self._seen.home,
            "env:temp": "/tmp",
            "env:tmp": "/tmp",
        }
        drives = {
            "env:systemroot": "/c/Windows",
            "env:windir": "/c/Windows",
            "env:systemdrive": "/c",
            "env:programfiles": "/c/Program Files",
        }
        found = {**folders, **drives}.get(name)
        return known_word(found) if found else self._seen.cwd if name == "pwd" else unknown_word(text)

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
        return known_word(self._seen.home, word.src) + word.drop_first(1) if word.head[:2] in ("~", "~/") else word

    # ---- commands

    def read_command(self, node: Any) -> Iterator[ReportedEffect]:
        head = next((child for child in node.children if child.type in ("command_name", "command_name_expr")), None)
        if head is None:
            return
        name = self.to_word(head)
        arguments, files = self._read_arguments(node)
        for file in files:
            yield Write(self._seen.resolve_place(self.convert_path(file)), None, None, self._seen.origin)
        text = (name.text or "").lower().removesuffix(".exe")
        cmdlet = ALIASES.get(text, text)
        if name.text is None:
            yield Interpret(
                "powershell",
                name.from_commands(frozenset({self._seen.origin.command})),
                self._seen.origin,
                via=Carrier("a name that is not known"),
            )
            return
        if (does := CMDLETS.get(cmdlet)) is not None:
            yield from does(self, arguments, self._find_pipeline_source(node))
        elif cmdlet in OPERATIONS:
            yield Operation(
                OPERATIONS[cmdlet], self._seen.origin, join_words(arguments.words) if arguments.words else known_word(name.text)
            )
        elif _removes_resource(cmdlet) and arguments.has_flag("whatif") is not True:
            target = join_words([name, *arguments.words])
            yield Operation("cloud.delete", self._seen.origin._replace(sure=None), target, (("dry_run", False),))
        if (text in UNIX_PROGRAMS and cmdlet != text) or (cmdlet == text and "-" not in text) or "/" in text or "\\" in text:
            yield Run(tuple(self._iter_argv(node, name)), self._seen.origin, Carrier("PowerShell"))

    def _iter_argv(self, node: Any, name: Word) -> Iterator[Word]:
        yield self.convert_path(name) if "\\" in name.display_text else name
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
            elif waiting:
                named[-1:] = [(waiting, self.to_word(each)) for each in list_members(element)]
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

    # ---- cmdlets

    def target_paths(self, arguments: CmdletArguments, before: CmdletArguments | None, *names: str) -> list[Word]:
        """Returns the paths that a cmdlet works on; paths from the pipeline are below those listed there."""
        found = arguments.get_all(*names) or [word for position in arguments.positions[:1] for word in position]
        if found or before is None:
            return [self.convert_path(word) for word in found]
        roots = before.get_all("path", "literalpath") or [word for position in before.positions[:1] for word in position]
        filters = before.get_all("filter", "include", "name")
        deep = before.has_flag("recurse") is True
        if deep and not filters and not before.get_all("exclude"):
            return [self.convert_path(word) for word in roots or [known_word(".")]]
        like = [f"**/{word.display_text}" if deep else word.display_text for word in filters] or ["?**"]
        listed = [Word(("/", Hole(each, "listed files"))) for each in like]
        return [self.convert_path(root) + each for root in roots or [known_word(".")] for each in listed]

    def remove_item(self, arguments: CmdletArguments, before: CmdletArguments | None) -> Iterator[ReportedEffect]:
        if arguments.has_flag("whatif"):
            return
        for path in self.target_paths(arguments, before, "path", "literalpath"):
            if re.match(r"(?i)/?(hklm|hkcu|env|variable|function|alias|cert):", path.head):
                continue
            yield Delete(self._seen.resolve_place(path, follow=False), arguments.has_flag("recurse"), self._seen.origin)

    def read_file(self, arguments: CmdletArguments, before: CmdletArguments | None) -> Iterator[ReportedEffect]:
        for path in self.target_paths(arguments, before, "path", "literalpath"):
            yield Read(self._seen.resolve_place(path), self._seen.origin)

    def write_file(self, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
        content = arguments.get_value("value", "inputobject") or (arguments.words[1] if len(arguments.words) > 1 else None)
        kind = arguments.get_value("itemtype", "type")
        folder = kind is not None and (kind.text or "").lower() in ("directory", "d")
        for path in self.target_paths(arguments, None, "path", "filepath", "literalpath", "name"):
            yield Write(
                self._seen.resolve_place(path), content, folder or arguments.has_flag("append"), self._seen.origin, folder=folder
            )

    def copy_item(self, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
        target = arguments.get_value("destination") or (arguments.words[1] if len(arguments.words) > 1 else None)
        for path in self.target_paths(arguments, None, "path", "literalpath"):
            yield Read(self._seen.resolve_place(path), self._seen.origin)
            if target is not None:
                yield Write(self._seen.resolve_place(self.convert_path(target)), None, False, self._seen.origin)

    def move_item(self, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
        target = arguments.get_value("destination", "newname") or (arguments.words[1] if len(arguments.words) > 1 else None)
        for path in self.target_paths(arguments, None, "path", "literalpath"):
            yield Move(
                self._seen.resolve_place(path, follow=False),
                self._seen.resolve_place(self.convert_path(target or unknown_word("a name"))),
                self._seen.origin,
            )

    def download_file(self, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
        url = arguments.get_value("uri") or (arguments.words[0] if arguments.words else unknown_word("a server"))
        sends = arguments.get_value("body", "infile")
        yield Connect(url, self._seen.origin, sends)
        if (file := arguments.get_value("outfile")) is not None:
            got = unknown_word(f"the response of {url.display_text}", frozenset({self._seen.origin.command}))
            yield Write(self._seen.resolve_place(self.convert_path(file)), got, False, self._seen.origin)

    def invoke_expression(self, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
        code = arguments.get_value("command", "scriptblock", "filepath") or (arguments.words[0] if arguments.words else None)
        if code is None:
            code = unknown_word("input of the pipeline", frozenset({self._seen.origin.command}))
        block = _SCRIPT_BLOCK.match(code.text or "")
        code = known_word(block[1], code.src) if block else code
        yield Interpret("powershell", code, self._seen.origin, via=Carrier("Invoke-Expression"))

    def start_process(self, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
        program = arguments.get_value("filepath") or (arguments.words[0] if arguments.words else None)
        if program is not None:
            lines = arguments.get_all("argumentlist")
            more = [each for line in lines for each in (map(known_word, line.text.split()) if line.text is not None else (line,))]
            words = tuple(more) or arguments.words[1:]
            yield Run((program, *words), self._seen.origin, Carrier("Start-Process"))

    def stop_service(self, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
        yield Operation(
            "service.control", self._seen.origin, join_words(arguments.words) if arguments.words else None, (("stop", True),)
        )

    def stop_process(self, arguments: CmdletArguments, before: CmdletArguments | None) -> Iterator[ReportedEffect]:
        stops_all = before is not None and not before.words and not before.named
        yield Operation(
            "process.kill",
            self._seen.origin,
            join_words(arguments.words) if arguments.words else None,
            (("everything", stops_all), ("by_name", True)),
        )


CMDLETS: Mapping[str, Any] = {
    "remove-item": _ScriptReader.remove_item,
    **dict.fromkeys(("get-content", "select-string", "import-csv", "import-clixml"), _ScriptReader.read_file),
    **dict.fromkeys(
        ("set-content", "add-content", "clear-content", "out-file", "new-item", "tee-object", "export-csv", "export-clixml"),
        _ScriptReader.write_file,
    ),
    "copy-item": _ScriptReader.copy_item,
    **dict.fromkeys(("move-item", "rename-item"), _ScriptReader.move_item),
    **dict.fromkeys(("invoke-webrequest", "invoke-restmethod", "start-bitstransfer"), _ScriptReader.download_file),
    **dict.fromkeys(("invoke-expression", "invoke-command"), _ScriptReader.invoke_expression),
    "start-process": _ScriptReader.start_process,
    **dict.fromkeys(("stop-service", "remove-service"), _ScriptReader.stop_service),
    "stop-process": _ScriptReader.stop_process,
}
