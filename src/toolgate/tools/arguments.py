"""Reading of the arguments of a tool without a table: each leaf by its key and its shape.

It finds paths, addresses, SQL, command lines (as text or as a list of words), code with its language, HTTP requests. Free text
(`body`, `description`, `prompt`) is data, whatever it mentions.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .clients import (
    CLIENT_OF_SERVER,
    INTERPRETER_ARGV,
    LANGUAGE_OF_SERVER,
    MONGO_SHELL,
    PYTHON_NAMES,
    find_client,
    find_speaking_client,
    list_client_words,
)
from .data_keys import is_data_key
from .json_patches import replace_patches
from .manifests import find_manifest, is_manifest, spell_application
from .names import fold_key, split_words
from .undescribed import list_written_files

MAX_LEAVES = 2000  # leaves of one call
MAX_PLACE_LENGTH = 4096  # characters of a path or an address


class ArgumentFinding(NamedTuple):
    """`role`: `path` (with `keyed` or `shaped`: known by its key, or by its shape only; and the act that is named for it),
    `connect`, `shell` (with a folder), `run` (an argv), `code` (text in a language that is not read), `written` (a path, its
    content), `unread` (the reason)."""

    role: str
    values: tuple[str, ...]


_PATH_KEYS = frozenset(
    "path paths file files filepath filepaths filename filenames targetfile targetpath notebookpath abspath absolutepath "
    "relativepath relativeworkspacepath outputpath outputfile outfile destination dest destinationpath sourcepath localpath "
    "inputpath inputfile folder folderpath directory dir dirpath attachment attachments attachmentpath".split()
)
"""Names of arguments in lower case, without `_` and `-`."""
_SQL_KEYS = frozenset(
    "sql cql statement statements stmt query queries q sqlquery sqlstatements sqltext ddl dml migration".split()
)
_SHELL_KEYS = frozenset(
    (
        *("commands", "cmds", "shell", "bash", "sh", "exec"),
        *(
            f"{where}{command}{form}"
            for where in ("", "shell", "bash", "terminal", "cli", "remote", "ssh")
            for command in ("cmd", "command")
            for form in ("", "line", "string", "str", "text")
        ),
    )
)
_TYPED_KEYS = frozenset("input text keys data stdin line".split())
_TERMINAL_WORDS = frozenset("terminal term tty pty shell console tmux ssh bash zsh".split())
"""Text typed into one of these is a command line."""
_ARGV_KEYS = frozenset("args argv arguments cmdargs commandargs parameters params flags options switches".split())
_PROGRAM_KEYS = ("command", "cmd", "program", "executable", "binary", "tool", "cli")
_SUBCOMMAND_KEYS = ("subcommand", "verb", "action", "operation")
_CODE_KEYS = frozenset(
    "code script scriptcontent scriptsource scripttext source sourcecode function expression javascript js python eval cell "
    "program".split()
)
_COMMAND_OR_CODE_KEYS = _SHELL_KEYS | _CODE_KEYS | _ARGV_KEYS
"""Arguments that are read as a command or as code, which also finds the paths in them."""
_CELL_KEYS = frozenset("cell cellsource cellcode cellcontent source newsource code".split())
_SNIPPET_KEYS = frozenset("snippet text content body input value".split())
"""Arguments with code if the tool executes text in a language that another argument names."""
_NOTEBOOK_WORDS = frozenset("cell cells notebook jupyter ipynb ipython kernel ide".split())
"""Text put into a cell is code that will run."""
_ACT_KEYS = ("do", "op", "operation", "action", "act", "verb", "method", "command", "type")
"""Arguments that say what is done with the others of the same object, and with the objects in it."""
_LANGUAGE_KEYS = ("language", "languageid", "lang", "runtime", "kernel", "interpreter", "syntax")
_URL_KEYS = ("url", "uri", "endpoint", "href", "address", "webhook", "webhookurl", "link", "target")
_BODY_KEYS = ("body", "data", "json", "payload", "content", "text", "form")
_OPERATION_KEYS = ("operation", "operationname", "action", "apiname", "method")
_PARAMETER_KEYS = ("parameters", "params", "input", "arguments", "args", "payload")
_LINE_KEYS = ("script", "scripts", "commands", "lines")
"""Arguments whose list of texts is a script, a line each."""
_COMMAND_LIST_KEYS = frozenset("commands cmds pipeline batch operations steps".split())
"""Arguments whose lists of words are commands of the server, one each."""
_FOLDER_KEYS = ("cwd", "workdir", "workingdirectory", "directory", "dir")

_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s]+", re.IGNORECASE)
_PATH = re.compile(r"(?:~|/|\.{1,2}/|[A-Za-z]:[\\/])[^\n\0]*|~")
_SQL = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(?:drop\s+(?:table|database|schema|view|index|materialized|keyspace|role|user|function|extension|owned|type|sequence)\b"
    r"|truncate\s+(?:table\s+)?[\w.\"`-]+\s*(?:;|,|cascade|restart|$)|delete\s+from\s+\S|alter\s+(?:table|database|role|user|schema|system|account|share|network\s+policy)\s"
    r"|grant\s.+\sto\s|revoke\s.+\sfrom\s|update\s+\S+\s+set\s+\S+\s*=|insert\s+(?:into|overwrite)\s|merge\s+into\s|create\s+(?:or\s+replace\s+)?(?:table|role|user|database|function|view|index)\s"
    r"|select\s.*(?:\sfrom\s|\()|with\s+\w+\s+as\s|begin\s*;|do\s+\$\w*\$|exec(?:ute)?\s+\w*\.*sp_|call\s+\w+\(|explain\s|set\s+\w+\s*=)",
    re.IGNORECASE | re.DOTALL,
)
_GRAPH_WORDS = frozenset("cypher neo memgraph graph".split())
_CYPHER = re.compile(r"\s*(?:(?:optional\s+)?match\s*\(|call\s*\{|drop\s)", re.IGNORECASE)
_PYTHON = r"\s*(?:import \w|from [\w.]+ import |def \w+\(|print\(|with open\(|for \w+ in .+:|async def )"
_JAVASCRIPT = (
    r"\s*(?:const |let |var |function\b|async\b|await |\(.*?\)\s*=>|\w+\s*=>|require\(|document\.|window\.|import .+ from "
    r"|return |process\."
    r"|\(\(?\)?)|(?s:.*(?:require\(|=>|document\.|window\.))"
)
_LOOKS_LIKE = (
    ("applescript", re.compile(r"\s*tell\s+app", re.IGNORECASE)),
    ("bash", re.compile(r"#!\S*(?:sh|bash|zsh)\b")),
    ("python", re.compile(_PYTHON, re.MULTILINE)),
    ("javascript", re.compile(_JAVASCRIPT)),
)
_IS_FUNCTION = re.compile(r"\s*(?:async\s+)?(?:function\b[^;]*|\(?[\w\s,{}]*\)?\s*=>\s*[{(].*)\}\)?;?\s*", re.DOTALL).fullmatch
"""Matches code that is a function alone, which a browser's tool calls with the page."""
_EXECUTING_VERBS = frozenset(
    "run exec execute eval evaluate sql query statement command shell terminal invoke do start spawn repl interpreter".split()
)
_SEARCHING_VERBS = frozenset(
    "search find lookup ask docs documentation library web google list get read describe explain chat".split()
)
_CODE_HANDLING_VERBS = frozenset(
    "create write save update format lint highlight explain review analyze analyse parse validate convert search find get edit "
    "insert append replace add put store upload check diff".split()
)  # verbs of tools that handle code without running it
_SQL_CLIENTS = frozenset("psql mysql sql sqlite".split())
"""Words of tools whose command is a statement, and no line of a shell."""
_POWERSHELL = frozenset(("powershell", "pwsh"))
_COMPUTING = frozenset("wolfram mathematica sympy maxima geogebra desmos latex mermaid plantuml graphviz openscad".split())
"""Servers whose language computes or draws, and touches nothing else."""
_APPLYING_VERBS = frozenset("apply create replace deploy run patch".split())
_CONTAINER_WORDS = frozenset("docker podman container containers".split())
_STARTING_VERBS = frozenset("run create start".split())
CHECKING = (("validate",), ("lint",), ("explain",))
"""First words of tools that look at a text without carrying out what it says."""
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


def find_leaves(arguments: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yields each value that is neither object nor list, with the folded name of its argument."""
    waiting: list[tuple[str, object]] = [(fold_key(str(key)), value) for key, value in arguments.items()]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [(fold_key(str(name)), each) for name, each in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(key, each) for each in value]
        else:
            yield key, value


def read_arguments(server: str, tool: str, arguments: Mapping[str, object]) -> Iterator[ArgumentFinding]:
    """Yields what a call does, by its arguments. `server`: the server's name without common words (`mcp`, `server`)."""
    if split_words(tool)[:1] in CHECKING:
        return
    words = frozenset(split_words(tool))
    objects: list[tuple[Mapping[str, object], str]] = [(arguments, "")]
    left = MAX_LEAVES
    while objects:
        entries, outer = objects.pop()
        entries = replace_patches(entries)
        one = {fold_key(str(key)): value for key, value in entries.items()}
        act = next((value for key in _ACT_KEYS if isinstance(value := one.get(key), str) and _is_act(value)), outer)
        yield from _ArgumentReader(server, words, words | frozenset(split_words(server)), act).read_object(one)
        for key, each in one.items():
            for part in each if isinstance(each, list | tuple) else (each,):
                left -= 1
                if isinstance(part, Mapping):
                    inner = {"sql" if key in _SQL_KEYS and name == "text" else name: value for name, value in part.items()}
                    objects.append((inner, act))
                elif isinstance(part, list | tuple):
                    objects.append(({str(n): value for n, value in enumerate(part)}, act))
        if left < 0:
            yield ArgumentFinding("unread", (f"it has more than {MAX_LEAVES} arguments",))
            return


class _ArgumentReader(NamedTuple):
    """`words`: the words of the tool's name; `named`: also those of the server's name; `act`: what the arguments say is done."""

    server: str
    words: frozenset[str]
    named: frozenset[str]
    act: str

    def read_object(self, entries: Mapping[str, object]) -> Iterator[ArgumentFinding]:
        """Yields what the entries of one object mean, alone or together with the others."""
        requested = self._build_request(entries)
        started = (self._build_container_start(entries), requested, self._build_provider_call(entries))
        yield from (ArgumentFinding("run", argv) for argv in started if argv)
        if not _APPLYING_VERBS.isdisjoint((*self.words, *split_words(self.act))) and (manifest := find_manifest(entries)):
            yield ArgumentFinding("shell", (spell_application(manifest, entries), ""))
        yield from (ArgumentFinding("written", each) for each in list_written_files(entries))
        for key, value in entries.items():
            for words in value if key in _COMMAND_LIST_KEYS and isinstance(value, list | tuple) else ():
                if isinstance(words, list | tuple) and words and all(isinstance(each, str | int | float) for each in words):
                    yield from self._read_word_list("command", [str(each) for each in words], entries)
            if isinstance(value, list | tuple) and value and all(isinstance(each, str | int | float) for each in value):
                if self._is_cell(key, entries):
                    yield ArgumentFinding("cell", ("".join(map(str, value)),))
                elif key in _LINE_KEYS:
                    yield ArgumentFinding("shell", ("\n".join(map(str, value)), _first_text(entries, _FOLDER_KEYS)))
                yield from self._read_word_list(key, [str(each) for each in value], entries)
            for text in value if isinstance(value, list | tuple) else (value,):
                if isinstance(text, str) and text:
                    yield from self._read_text(key, text, entries, is_list=text is not value, requested=bool(requested))

    def _read_text(
        self, key: str, text: str, entries: Mapping[str, object], *, is_list: bool, requested: bool
    ) -> Iterator[ArgumentFinding]:
        if argv := self._find_command(key, text):
            yield ArgumentFinding("run", argv)
        client = find_client(self.server, *sorted(self.words))
        if client == "mongosh" and text.startswith("db."):
            yield ArgumentFinding("run", (*MONGO_SHELL, text))
        if client and key.endswith("command") and key not in _SHELL_KEYS:
            yield ArgumentFinding("shell", (f"{' '.join(list_client_words(client))} {text}", ""))
        if key in _TYPED_KEYS and self.named & _TERMINAL_WORDS:
            yield from self._read_shell_text(text, entries)
        if self._is_cell(key, entries):
            yield ArgumentFinding("cell", (text,))
            return
        if is_manifest(text) and self.words & _APPLYING_VERBS:
            yield ArgumentFinding("shell", (spell_application(text, entries), ""))
        if key in _SNIPPET_KEYS and self.words & _EXECUTING_VERBS and _first_text(entries, _LANGUAGE_KEYS):
            yield from self._read_code("code", text, entries)
        if is_data_key(key):
            return
        if _CYPHER.match(text) and (key == "cypher" or not _GRAPH_WORDS.isdisjoint(self.named)):
            yield ArgumentFinding("run", ("cypher-shell", text))
        if key in _SHELL_KEYS and not (is_list and not key.endswith("s")):
            yield from self._read_shell_text(text, entries)
        elif not is_list:
            yield from self._read_argv_or_code(key, text, entries)
        yield from self._find_place(key, text, requested=requested)

    def _find_command(self, key: str, text: str) -> tuple[str, ...]:
        """Returns the command that SQL, or a patch which names its files, stands for; empty for another text."""
        if text.startswith("*** Begin Patch"):
            return ("apply_patch", text)
        return ("psql", "-c", text) if self._is_sql(key, text) else ()

    def _is_cell(self, key: str, entries: Mapping[str, object]) -> bool:
        """Returns whether it is the code of a notebook cell. Text cells have a type of their own."""
        is_named = key.startswith("cell") or (key in _CELL_KEYS and bool(self.named & _NOTEBOOK_WORDS))
        kind = str(entries.get("celltype", entries.get("type", "code"))).lower()
        language = next((str(entries[name]).lower() for name in _LANGUAGE_KEYS if isinstance(entries.get(name), str)), "python")
        return key in _CELL_KEYS and is_named and kind == "code" and language in PYTHON_NAMES

    def _read_argv_or_code(self, key: str, text: str, entries: Mapping[str, object]) -> Iterator[ArgumentFinding]:
        """Yields the arguments of a command as one text, or code."""
        program = entries.get("command", entries.get("cmd"))
        if key in _ARGV_KEYS and isinstance(program, str):
            yield ArgumentFinding("shell", (f"{program} {text}", _first_text(entries, _FOLDER_KEYS)))
        elif key in _ARGV_KEYS and (client := find_client(self.server)):
            yield ArgumentFinding("shell", (f"{' '.join(list_client_words(client))} {text}", ""))
        elif key in _CODE_KEYS and not _SQL.match(text):
            yield from self._read_code(key, text, entries)

    def _find_place(self, key: str, text: str, *, requested: bool) -> Iterator[ArgumentFinding]:
        """Yields a path or an address."""
        if len(text) > MAX_PLACE_LENGTH or "\n" in text or "\0" in text:
            return
        if text.lower().startswith("file://"):
            yield ArgumentFinding("path", (text[7:].removeprefix("localhost"), "keyed", self.act))
        elif _URL.fullmatch(text):
            if not (requested and key in _URL_KEYS):
                yield ArgumentFinding("connect", (text,))
        elif "wiki" in self.words:
            return  # a page's path
        elif key in _PATH_KEYS:
            yield ArgumentFinding("path", (text, "keyed", self.act))
        elif key not in _COMMAND_OR_CODE_KEYS and _PATH.fullmatch(text):
            yield ArgumentFinding("path", (text, "shaped", self.act))

    def _is_sql(self, key: str, text: str) -> bool:
        if key in ("sql", "cql", "statement", "statements", "stmt", "ddl", "dml", "sqlquery", "sqlstatements", "sqltext"):
            return True
        if is_data_key(key) and not (self.words & _EXECUTING_VERBS and key in ("text", "content", "body", "value")):
            return False
        if key in _SQL_KEYS and self.words & _SEARCHING_VERBS and not self.words & _EXECUTING_VERBS:
            return False
        return _SQL.match(text) is not None

    def _read_shell_text(self, text: str, entries: Mapping[str, object]) -> Iterator[ArgumentFinding]:
        folder, client = _first_text(entries, _FOLDER_KEYS), find_client(self.server)
        if self.words & _POWERSHELL:
            yield ArgumentFinding("run", (*INTERPRETER_ARGV["powershell"], text))
        elif "code" in self.words:
            yield from self._read_code("code", text, entries)
            return
        if self.words & _POWERSHELL or (self.words & _SQL_CLIENTS and _SQL.match(text)):
            return
        if client and text.split()[:1] != [client]:
            yield ArgumentFinding("shell", (f"{' '.join(list_client_words(client))} {text}", folder))
        if text.split()[:1] == [client] or client not in CLIENT_OF_SERVER.values():
            yield ArgumentFinding("shell", (text, folder))

    def _read_word_list(self, key: str, words: list[str], entries: Mapping[str, object]) -> Iterator[ArgumentFinding]:
        """Yields a list of words: a command with its arguments, or arguments of the program that the server is named after."""
        if key in _SHELL_KEYS and len(words) > 1 and all(len(each.split()) > 1 for each in words):
            for line in words:
                yield from self._read_shell_text(line, entries)
        elif key in ("command", "cmd", "argv", "exec", "commandline", "cmdline") or key.endswith("command"):
            yield ArgumentFinding("run", tuple(words))
            if (client := find_client(self.server, *sorted(self.words)) or find_speaking_client(words)) and words[0] != client:
                yield ArgumentFinding("run", (*list_client_words(client), *words))
        elif key in _ARGV_KEYS:
            program, client = _first_text(entries, _PROGRAM_KEYS), find_client(self.server, *sorted(self.words))
            subcommand = _first_text(entries, _SUBCOMMAND_KEYS)
            if client and subcommand:
                words = [subcommand, *words]
            if program and client and program.split()[0] != client:
                yield ArgumentFinding("run", (*list_client_words(client), *program.split(), *words))
            if program and client and subcommand:
                return
            if program and not any(char.isspace() for char in program):
                yield ArgumentFinding("run", (program, *words))
            elif program:
                yield ArgumentFinding("shell", (" ".join((program, *words)), _first_text(entries, _FOLDER_KEYS)))
            else:
                yield ArgumentFinding("run", (*(list_client_words(client) if client else (self.server or key).split()), *words))

    def _read_code(self, key: str, text: str, entries: Mapping[str, object]) -> Iterator[ArgumentFinding]:
        hint = next((str(entries[name]).lower() for name in _LANGUAGE_KEYS if isinstance(entries.get(name), str)), "")
        runs = bool(self.words & _EXECUTING_VERBS) or key == "eval"
        if (self.words & _CODE_HANDLING_VERBS and not runs) or (
            key in ("source", "program", "cell", "expression", "function") and not runs
        ):
            return
        language = hint or next((word for word in (key, *sorted(self.named)) if word in INTERPRETER_ARGV and word != "shell"), "")
        if language not in INTERPRETER_ARGV and not self.named & _COMPUTING:
            language = next((LANGUAGE_OF_SERVER[word] for word in sorted(self.named) if word in LANGUAGE_OF_SERVER), "")
            shaped = next((name for name, shape in _LOOKS_LIKE if shape.match(text)), "" if key != "script" else "bash")
            language = language or (shaped if runs or key == "script" else "")
        if language in INTERPRETER_ARGV:
            called = f"({text.strip().rstrip(';')})(page)" if language == "javascript" and _IS_FUNCTION(text) else text
            yield ArgumentFinding("run", (*INTERPRETER_ARGV[language], called))
        elif runs and not self.named & _COMPUTING and any(char.isspace() or char in "();" for char in text):
            yield ArgumentFinding("code", (hint or "code", text))

    def _build_container_start(self, entries: Mapping[str, object]) -> tuple[str, ...]:
        """Returns the start of a container as a docker call; empty if none is started."""
        image = entries.get("image") or entries.get("imagename")
        if not isinstance(image, str) or not self.named & _CONTAINER_WORDS or not self.words & _STARTING_VERBS:
            return ()
        mounted = entries.get("volumes") or entries.get("mounts") or entries.get("binds") or ()
        if isinstance(mounted, Mapping):
            mounted = [f"{mount}:/mounted" for mount in mounted]
        mounts = [each for each in mounted if isinstance(each, str)] if isinstance(mounted, list | tuple) else []
        command = entries.get("command") or entries.get("cmd") or ""
        words = command.split() if isinstance(command, str) else command if isinstance(command, list) else []
        privileged = ["--privileged"] if entries.get("privileged") is True else []
        return ("docker", "run", *privileged, *(word for each in mounts for word in ("-v", each)), image, *map(str, words))

    def _build_provider_call(self, entries: Mapping[str, object]) -> tuple[str, ...]:
        """Returns an operation of Amazon's interface as its command line spells it; empty if there is none."""
        service, operation = (_first_text(entries, keys) for keys in (("service", "servicename"), _OPERATION_KEYS))
        if find_client(self.server) != "aws" or not service or not operation or any(char.isspace() for char in operation):
            return ()
        given = next((each for key in _PARAMETER_KEYS if isinstance(each := entries.get(key), Mapping)), {})
        argv = ["aws", service, "-".join(split_words(operation))]
        for name, value in given.items():
            option = "-".join(split_words(str(name)))
            if isinstance(value, bool):
                argv.append(f"--{option}" if value else f"--no-{option}")
            else:
                argv += [f"--{option}", value if isinstance(value, str) else json.dumps(value)]
        return tuple(argv)

    def _build_request(self, entries: Mapping[str, object]) -> tuple[str, ...]:
        """Returns an HTTP request as a curl call; empty if there is only an address."""
        url = next((value for key in _URL_KEYS if isinstance(value := entries.get(key), str) and _URL.fullmatch(value)), "")
        if not url.lower().startswith(("http://", "https://")):
            return ()
        nested = next(
            (each for key in ("options", "init", "config", "request") if isinstance(each := entries.get(key), Mapping)), {}
        )
        entries = {**{fold_key(str(key)): value for key, value in nested.items()}, **entries}
        method = str(entries.get("method") or entries.get("httpmethod") or "").upper()
        if not method:
            method = next((name for name in METHODS if name.lower() in self.words), "")
        body = next((entries[key] for key in _BODY_KEYS if entries.get(key)), None)
        if method in ("", "GET", "HEAD", "OPTIONS") and body is None and not entries.get("headers"):
            return ()
        argv = ["curl", "-X", method or "POST"]
        if isinstance(headers := entries.get("headers"), Mapping):
            argv += [word for name, value in headers.items() for word in ("-H", f"{name}: {value}")]
        if body is not None:
            argv += ["--data-raw", "\n".join(str(value) for _, value in find_leaves({"body": body}))]
        return (*argv, url)


def _is_act(text: str) -> bool:
    """Returns whether a text is the name of something that is done, and no text or method of a request."""
    return text not in METHODS and not any(char.isspace() for char in text)


def _first_text(entries: Mapping[str, object], keys: tuple[str, ...]) -> str:
    return next((value for key in keys if isinstance(value := entries.get(key), str)), "")
