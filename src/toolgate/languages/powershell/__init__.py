"""PowerShell, parsed by its grammar (tree-sitter-powershell): cmdlets by a table, other programs unchanged.

Text that the grammar cannot parse, or in which it finds no command, is unknown.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolgate.model.effect import (
    Connect,
    Delete,
    Interpret,
    Move,
    Operation,
    Prints,
    Read,
    Reported,
    Run,
    Write,
)
from toolgate.model.seen import Seen
from toolgate.model.unread import unread_code
from toolgate.model.word import EMPTY, Hole, Word, glob_hole, joined, known, unknown

from .grammar import Given, elements, members, nodes, parsed


def _table(text: str) -> dict[str, str]:
    """Parses `whole: begun begun`: maps each word to its whole name."""
    rows = (row.partition(":") for row in text.split(";"))
    return {word: whole.strip() for whole, _, words in rows for word in words.split()}


ALIASES = _table(
    "remove-item: ri rm rmdir rd del erase; get-content: gc cat type; get-childitem: gci ls dir; set-content: sc;"
    " add-content: ac; clear-content: clc; copy-item: cp copy cpi; move-item: mv move mi; rename-item: ren rni;"
    " new-item: ni md mkdir; tee-object: tee; invoke-expression: iex; invoke-webrequest: iwr curl wget;"
    " invoke-restmethod: irm; start-process: saps start; invoke-command: icm; stop-process: spps kill;"
    " stop-service: spsv; set-location: cd sl chdir; select-string: sls"
)
OPERATIONS = _table(
    "disk.destroy: format-volume clear-disk initialize-disk remove-partition reset-physicaldisk remove-virtualdisk;"
    " power.off: stop-computer restart-computer;"
    " account.change: new-localuser remove-localuser add-localgroupmember set-localuser disable-localuser;"
    " schedule.change: register-scheduledtask unregister-scheduledtask set-scheduledtask;"
    " trace.erase: clear-eventlog remove-eventlog clear-history;"
    " kernel.change: set-executionpolicy remove-itemproperty;"
    " firewall.change: set-mppreference add-mppreference set-netfirewallprofile remove-netfirewallrule disable-netfirewallrule"
)
TAKES = frozenset(("remove", "uninstall", "unregister", "revoke", "reset", "clear", "dismount"))
"""Verbs of cmdlets that remove something. They are from Microsoft's list of approved verbs."""
_OF_THE_SESSION = """
variable alias psdrive drive job event eventsubscriber module psmodule psresource package script psbreakpoint breakpoint
pssession session cimsession typedata formatdata psreadlinekeyhandler psreadlineoption host itemproperty content item history
dnsclientcache pssnapin packagesource psrepository psresourcerepository cache tempfile testdrive mock printjob smbmapping
display screen
"""
OF_THE_SESSION = frozenset(_OF_THE_SESSION.split())
"""Objects of the session, or those that are easily restored."""
CHOOSING = frozenset(("where-object", "where", "?", "select-object", "select", "sort-object", "sort"))
UNIX = frozenset(("rm", "rmdir", "cat", "ls", "cp", "mv", "mkdir", "tee", "curl", "wget", "kill", "type", "sort", "diff", "ps"))
"""Aliases on Windows, programs on other systems."""

SWITCHES = frozenset(
    "recurse force confirm whatif passthru verbose debug append nonewline noclobber raw wait nonewwindow"
    " usebasicparsing asplaintext".split()
)
_CODE = re.compile(r"\b(?:DownloadString|DownloadFile|DownloadData)\s*\(\s*[\"']?([^\"')]*)", re.IGNORECASE)
_DECODES = re.compile(r"FromBase64String|GzipStream|DeflateStream", re.IGNORECASE)
_STATIC = re.compile(
    r"\[(?:System\.)?IO\.(File|Directory)\]::(Delete|WriteAllText|WriteAllBytes|AppendAllText|Move|Copy)\(\s*[\"']([^\"']*)",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"\A\s*\{(.*)\}\s*\Z", re.DOTALL)


_SOCKET = re.compile(r"Sockets\.(TCP|UDP)Client|TcpClient|UdpClient", re.IGNORECASE)
_RUNS = re.compile(r"\b(iex|Invoke-Expression|cmd(\.exe)?|powershell|StandardInput|Process|GetStream)\b", re.IGNORECASE)


def read(code: Interpret, text: str, seen: Seen) -> Iterator[Reported]:
    try:
        root = parsed(text)
    except ImportError:
        cause = "its grammar, tree_sitter_powershell, is not installed"
        yield unread_code(code.file or "this PowerShell", cause, seen.origin)
        return
    script = _Script(seen, code)
    commands = list(nodes(root, "command"))
    if root.has_error or not (commands or text.strip() == "" or list(nodes(root, "assignment_expression"))):
        yield unread_code(code.file or "this PowerShell", "it does not parse", seen.origin)
    for node in nodes(root, "assignment_expression"):
        script.learn(node)
    for node in commands:
        yield from script.command(node)
    if _SOCKET.search(text) and _RUNS.search(text):
        yield Operation("network.shell", seen.origin)
    if _DECODES.search(text):
        yield Operation("text.decode", seen.origin)
    for match in _CODE.finditer(text):
        yield Connect(known(match[1]), seen.origin)
    for kind, verb, path in _STATIC.findall(text):
        place = seen.place(script.path(known(path)))
        yield (
            Delete(place, kind.lower() == "directory", seen.origin)
            if verb.lower() in ("delete", "move")
            else Write(place, None, False, seen.origin)
        )
    yield Prints(seen.output("what PowerShell prints"))


def _takes(cmdlet: str) -> bool:
    """Returns whether an unknown cmdlet removes something, by its verb, that matters, by its noun: `Remove-VM`."""
    verb, _, noun = cmdlet.partition("-")
    return verb in TAKES and noun.isalnum() and noun not in OF_THE_SESSION


class _Script:
    def __init__(self, seen: Seen, code: Interpret) -> None:
        self._seen, self._code = seen, code
        self._variables: dict[str, Word] = {}

    # ---- words

    def learn(self, node: Any) -> None:
        left, right = node.children[0].text.decode(), node.children[-1]
        name = left.strip().lstrip("$").lower()
        self._variables[name] = self.word(right) if name not in self._variables else unknown(f"${name}")
        if name.startswith("env:"):
            self._variables[name] = self.word(right)

    def word(self, node: Any) -> Word:
        """Returns the text of an argument, as far as it is literal."""
        text: str = node.text.decode("utf-8", "replace")
        if node.type in ("generic_token", "command_name", "path_command_name_token", "simple_name"):
            return known(text.replace("`", ""))
        if node.type in ("verbatim_string_characters", "verbatim_here_string_characters"):
            return known(text.strip("'").replace("''", "'"))
        if node.type in ("expandable_string_literal", "expandable_here_string_literal"):
            return self._expanded(text.strip('"').strip("@\n").strip('"'), node)
        if node.type == "variable":
            return self._variable(text)
        if node.type.endswith("_literal") and not node.children:
            return known(text)
        inner = [child for child in node.children if child.is_named]
        return self.word(inner[0]) if len(inner) == 1 else unknown(text[:60], frozenset({self._seen.origin.command}))

    def _expanded(self, text: str, node: Any) -> Word:
        result, rest = EMPTY, text.replace('""', '"').replace("`", "")
        for child in [child for child in node.children if child.is_named]:
            piece = child.text.decode("utf-8", "replace")
            before, found, after = rest.partition(piece)
            if found:
                result, rest = result + known(before) + self.word(child), after
        return result + known(rest)

    def _variable(self, text: str) -> Word:
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
        return known(found) if found else self._seen.cwd if name == "pwd" else unknown(text)

    def path(self, word: Word) -> Word:
        """Converts a Windows path to its name in Git Bash."""
        parts = tuple(part.replace("\\", "/") if isinstance(part, str) else part for part in word.parts)
        word = Word(parts, False, word.src)
        if drive := re.match(r"([A-Za-z]):/?", word.head):
            word = known(f"/{drive[1].lower()}/") + word.cut(len(drive[0]))
        if word.text is not None and len(word.text) > 1:
            word = known(word.text.rstrip("/") or "/", word.src)
        if word.text is not None and (word.text in ("*", "*.*") or word.text.endswith(("/*", "/*.*"))):
            return known(word.text.removesuffix(".*")[:-1], word.src) + Word((glob_hole("*"),))
        return known(self._seen.home, word.src) + word.cut(1) if word.head[:2] in ("~", "~/") else word

    # ---- commands

    def command(self, node: Any) -> Iterator[Reported]:
        head = next((child for child in node.children if child.type in ("command_name", "command_name_expr")), None)
        if head is None:
            return
        name = self.word(head)
        given, files = self._given(node)
        for file in files:
            yield Write(self._seen.place(self.path(file)), None, None, self._seen.origin)
        text = (name.text or "").lower().removesuffix(".exe")
        cmdlet = ALIASES.get(text, text)
        if name.text is None:
            yield Interpret(
                "powershell",
                name.from_commands(frozenset({self._seen.origin.command})),
                self._seen.origin,
                via="a name that is not known",
            )
            return
        if (does := CMDLETS.get(cmdlet)) is not None:
            yield from does(self, given, self._before(node))
        elif cmdlet in OPERATIONS:
            yield Operation(OPERATIONS[cmdlet], self._seen.origin, joined(given.words) if given.words else known(name.text))
        elif _takes(cmdlet) and given.flag("whatif") is not True:
            target = joined([name, *given.words])
            yield Operation("cloud.delete", self._seen.origin._replace(sure=None), target, (("dry_run", False),))
        if (text in UNIX and cmdlet != text) or (cmdlet == text and "-" not in text) or "/" in text or "\\" in text:
            yield Run(tuple(self._argv(node, name)), self._seen.origin, "PowerShell")

    def _argv(self, node: Any, name: Word) -> Iterator[Word]:
        yield self.path(name) if "\\" in name.shown else name
        for element in elements(node):
            if element.type != "redirection":
                is_name = element.type == "command_parameter"
                yield from (known(each.text.decode()) if is_name else self.word(each) for each in members(element))

    def _given(self, node: Any) -> tuple[Given, list[Word]]:
        positions: list[tuple[Word, ...]] = []
        named: list[tuple[str, Word]] = []
        files: list[Word] = []
        waiting = ""
        for element in elements(node):
            if element.type == "redirection":
                names = list(nodes(element, "redirected_file_name"))
                files += [
                    self.word(each)
                    for found in names
                    for each in found.children
                    if each.is_named and each.text.strip() not in (b"", b"$null")
                ]
            elif element.type == "command_parameter":
                begun, _, value = element.text.decode().lstrip("-").lower().partition(":")
                named.append((begun, known(value)))
                waiting = "" if value or any(switch.startswith(begun) for switch in SWITCHES) else begun
            elif waiting:
                named[-1:] = [(waiting, self.word(each)) for each in members(element)]
                waiting = ""
            else:
                positions.append(tuple(self.word(each) for each in members(element)))
        return Given(tuple(positions), tuple(named)), files

    def _before(self, node: Any) -> Given | None:
        """Returns the arguments of the command that feeds the pipeline; commands that only filter it are skipped."""
        previous = node.prev_named_sibling
        while previous is not None and previous.type == "command" and self._chooses(previous):
            previous = previous.prev_named_sibling
        if previous is None:
            return None
        return self._given(previous)[0] if previous.type == "command" else Given(((self.word(previous),),), ())

    def _chooses(self, node: Any) -> bool:
        head = next((child for child in node.children if child.type == "command_name"), None)
        return head is not None and (self.word(head).text or "").lower() in CHOOSING

    # ---- cmdlets

    def paths(self, given: Given, before: Given | None, *names: str) -> list[Word]:
        """Returns the paths that a cmdlet works on; paths from the pipeline are below those listed there."""
        found = given.all(*names) or [word for position in given.positions[:1] for word in position]
        if found or before is None:
            return [self.path(word) for word in found]
        roots = before.all("path", "literalpath") or [word for position in before.positions[:1] for word in position]
        wanted = before.all("filter", "include", "name")
        deep = before.flag("recurse") is True
        if deep and not wanted and not before.all("exclude"):
            return [self.path(word) for word in roots or [known(".")]]
        like = [f"**/{word.shown}" if deep else word.shown for word in wanted] or ["?**"]
        listed = [Word(("/", Hole(each, "what was listed"))) for each in like]
        return [self.path(root) + each for root in roots or [known(".")] for each in listed]

    def remove(self, given: Given, before: Given | None) -> Iterator[Reported]:
        if given.flag("whatif"):
            return
        for path in self.paths(given, before, "path", "literalpath"):
            if re.match(r"(?i)/?(hklm|hkcu|env|variable|function|alias|cert):", path.head):
                continue
            yield Delete(self._seen.place(path, follow=False), given.flag("recurse"), self._seen.origin)

    def read_file(self, given: Given, before: Given | None) -> Iterator[Reported]:
        for path in self.paths(given, before, "path", "literalpath"):
            yield Read(self._seen.place(path), self._seen.origin)

    def write_file(self, given: Given, _before: Given | None) -> Iterator[Reported]:
        content = given.value("value", "inputobject") or (given.words[1] if len(given.words) > 1 else None)
        kind = given.value("itemtype", "type")
        folder = kind is not None and (kind.text or "").lower() in ("directory", "d")
        for path in self.paths(given, None, "path", "filepath", "literalpath", "name"):
            yield Write(self._seen.place(path), content, folder or given.flag("append"), self._seen.origin, folder=folder)

    def copy(self, given: Given, _before: Given | None) -> Iterator[Reported]:
        target = given.value("destination") or (given.words[1] if len(given.words) > 1 else None)
        for path in self.paths(given, None, "path", "literalpath"):
            yield Read(self._seen.place(path), self._seen.origin)
            if target is not None:
                yield Write(self._seen.place(self.path(target)), None, False, self._seen.origin)

    def move(self, given: Given, _before: Given | None) -> Iterator[Reported]:
        target = given.value("destination", "newname") or (given.words[1] if len(given.words) > 1 else None)
        for path in self.paths(given, None, "path", "literalpath"):
            yield Move(
                self._seen.place(path, follow=False), self._seen.place(self.path(target or unknown("a name"))), self._seen.origin
            )

    def fetch(self, given: Given, _before: Given | None) -> Iterator[Reported]:
        url = given.value("uri") or (given.words[0] if given.words else unknown("a server"))
        sends = given.value("body", "infile")
        yield Connect(url, self._seen.origin, sends)
        if (file := given.value("outfile")) is not None:
            got = unknown(f"what {url.shown} sends", frozenset({self._seen.origin.command}))
            yield Write(self._seen.place(self.path(file)), got, False, self._seen.origin)

    def evaluate(self, given: Given, _before: Given | None) -> Iterator[Reported]:
        code = given.value("command", "scriptblock", "filepath") or (given.words[0] if given.words else None)
        if code is None:
            code = unknown("what the pipeline brings", frozenset({self._seen.origin.command}))
        block = _BLOCK.match(code.text or "")
        code = known(block[1], code.src) if block else code
        yield Interpret("powershell", code, self._seen.origin, via="Invoke-Expression")

    def start(self, given: Given, _before: Given | None) -> Iterator[Reported]:
        program = given.value("filepath") or (given.words[0] if given.words else None)
        if program is not None:
            lines = given.all("argumentlist")
            more = [each for line in lines for each in (map(known, line.text.split()) if line.text is not None else (line,))]
            words = tuple(more) or given.words[1:]
            yield Run((program, *words), self._seen.origin, "Start-Process")

    def stop_service(self, given: Given, _before: Given | None) -> Iterator[Reported]:
        yield Operation("service.control", self._seen.origin, joined(given.words) if given.words else None, (("stop", True),))

    def stop_process(self, given: Given, before: Given | None) -> Iterator[Reported]:
        whole = before is not None and not before.words and not before.named
        yield Operation(
            "process.kill",
            self._seen.origin,
            joined(given.words) if given.words else None,
            (("everything", whole), ("by_name", True)),
        )


CMDLETS: Mapping[str, Any] = {
    "remove-item": _Script.remove,
    **dict.fromkeys(("get-content", "select-string", "import-csv", "import-clixml"), _Script.read_file),
    **dict.fromkeys(
        ("set-content", "add-content", "clear-content", "out-file", "new-item", "tee-object", "export-csv", "export-clixml"),
        _Script.write_file,
    ),
    "copy-item": _Script.copy,
    **dict.fromkeys(("move-item", "rename-item"), _Script.move),
    **dict.fromkeys(("invoke-webrequest", "invoke-restmethod", "start-bitstransfer"), _Script.fetch),
    **dict.fromkeys(("invoke-expression", "invoke-command"), _Script.evaluate),
    "start-process": _Script.start,
    **dict.fromkeys(("stop-service", "remove-service"), _Script.stop_service),
    "stop-process": _Script.stop_process,
}
