"""What each cmdlet reads, writes, runs and sends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from toolgate.model.effect import Carrier, Connect, Delete, Interpret, Move, Operation, Read, ReportedEffect, Run, Write
from toolgate.model.word import EMPTY, Hole, Word, join_words, known_word, unknown_word

from .grammar import CmdletArguments

if TYPE_CHECKING:
    from . import ScriptReader

Cmdlet = Callable[["ScriptReader", CmdletArguments, CmdletArguments | None], Iterator[ReportedEffect]]
"""Reports the effects of a cmdlet from its arguments, and from those of the command that feeds it."""
_SCRIPT_BLOCK = re.compile(r"\A\s*\{(.*)\}\s*\Z", re.DOTALL)


def target_paths(script: ScriptReader, arguments: CmdletArguments, before: CmdletArguments | None, *names: str) -> list[Word]:
    """Returns the paths that a cmdlet works on; paths from the pipeline are below those listed there."""
    found = arguments.get_all(*names) or [word for position in arguments.positions[:1] for word in position]
    if found or before is None:
        return [script.convert_path(word) for word in found]
    roots = before.get_all("path", "literalpath") or [word for position in before.positions[:1] for word in position]
    filters = before.get_all("filter", "include", "name")
    deep = before.has_flag("recurse") is True
    if deep and not filters and not before.get_all("exclude"):
        return [script.convert_path(word) for word in roots or [known_word(".")]]
    like = [f"**/{word.display_text}" if deep else word.display_text for word in filters] or ["?**"]
    listed = [Word(("/", Hole(each, "listed files"))) for each in like]
    return [script.convert_path(root) + each for root in roots or [known_word(".")] for each in listed]


def remove_item(script: ScriptReader, arguments: CmdletArguments, before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    if arguments.has_flag("whatif"):
        return
    for path in target_paths(script, arguments, before, "path", "literalpath"):
        if re.match(r"(?i)/?(?:hklm|hkcu|hkcr|hku|registry):", path.head):
            yield Operation("kernel.change", script.seen.origin, path)
            continue
        if re.match(r"(?i)/?(?:env|variable|function|alias|cert):", path.head):
            continue
        yield Delete(script.seen.resolve_place(path, follow=False), arguments.has_flag("recurse"), script.seen.origin)


def read_file(script: ScriptReader, arguments: CmdletArguments, before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    for path in target_paths(script, arguments, before, "path", "literalpath"):
        yield Read(script.seen.resolve_place(path), script.seen.origin)


def read_paths(script: ScriptReader, files: list[Word], *, is_tree: bool = False) -> Iterator[ReportedEffect]:
    for file in files:
        yield Read(script.seen.resolve_place(script.convert_path(file)), script.seen.origin, is_tree)


def _content_of(script: ScriptReader, files: list[Word]) -> Word | None:
    return join_words(script.seen.read(script.convert_path(file)) for file in files) if files else None


def compress_archive(
    script: ScriptReader, arguments: CmdletArguments, before: CmdletArguments | None
) -> Iterator[ReportedEffect]:
    files = target_paths(script, arguments, before, "path", "literalpath")
    yield from read_paths(script, files, is_tree=True)
    for archive in (*arguments.get_all("destinationpath"), *arguments.words[1:2]):
        yield Write(
            script.seen.resolve_place(script.convert_path(archive)), _content_of(script, files), False, script.seen.origin
        )


def print_words(script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    script.printed += arguments.words
    yield from ()


def show_secret(script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    """Modules for vaults give a secure string, unless they are asked for plain text."""
    if arguments.has_flag("asplaintext") or arguments.has_flag("withdecryption") or arguments.get_value("withdecryption"):
        yield Operation("credential.print", script.seen.origin, known_word("a secret of a vault"))


def show_token(script: ScriptReader, _arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    yield Operation("credential.print", script.seen.origin, known_word("a token or a key"))


def read_clipboard(
    script: ScriptReader, _arguments: CmdletArguments, _before: CmdletArguments | None
) -> Iterator[ReportedEffect]:
    yield Operation("desktop.capture", script.seen.origin, known_word("the clipboard"))


def list_items(script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    if any((word.text or "").lower().rstrip("/\\*") == "env:" for word in (*arguments.words, *arguments.get_all("path"))):
        yield Operation("environment.print", script.seen.origin)


def send_mail(script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    files = arguments.get_all("attachments")
    yield from read_paths(script, files)
    server = arguments.get_value("smtpserver") or unknown_word("a server")
    yield Connect(server, script.seen.origin, arguments.get_value("body") or _content_of(script, files))


def run_statement(script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    for statement in (*arguments.get_all("query"), *arguments.words[:1]):
        yield Interpret("sql", statement, script.seen.origin, via=Carrier("Invoke-Sqlcmd"))


def write_file(script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    content = arguments.get_value("value", "inputobject") or (arguments.words[1] if len(arguments.words) > 1 else None)
    kind = arguments.get_value("itemtype", "type")
    folder = kind is not None and (kind.text or "").lower() in ("directory", "d")
    for path in target_paths(script, arguments, None, "path", "filepath", "literalpath", "name"):
        yield Write(
            script.seen.resolve_place(path), content, folder or arguments.has_flag("append"), script.seen.origin, folder=folder
        )


def clear_files(script: ScriptReader, arguments: CmdletArguments, before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    for path in target_paths(script, arguments, before, "path", "literalpath"):
        yield Write(script.seen.resolve_place(path), EMPTY, False, script.seen.origin)


def copy_item(script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    target = arguments.get_value("destination") or (arguments.words[1] if len(arguments.words) > 1 else None)
    for path in target_paths(script, arguments, None, "path", "literalpath"):
        yield Read(script.seen.resolve_place(path), script.seen.origin)
        if target is not None:
            yield Write(script.seen.resolve_place(script.convert_path(target)), None, False, script.seen.origin)


def move_item(script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    target = arguments.get_value("destination", "newname") or (arguments.words[1] if len(arguments.words) > 1 else None)
    for path in target_paths(script, arguments, None, "path", "literalpath"):
        yield Move(
            script.seen.resolve_place(path, follow=False),
            script.seen.resolve_place(script.convert_path(target or unknown_word("a name"))),
            script.seen.origin,
        )


def download_file(script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    url = arguments.get_value("uri") or (arguments.words[0] if arguments.words else unknown_word("a server"))
    files = arguments.get_all("infile")
    yield from read_paths(script, files)
    body = arguments.get_value("body") or _content_of(script, files)
    yield Connect(url, script.seen.origin, body)
    method = arguments.get_value("method", "custommethod")
    if method is not None and (method.text or "").upper() in ("DELETE", "POST", "PUT", "PATCH"):
        sent = (known_word("--data-raw"), body) if body is not None else ()
        words = (known_word("curl"), known_word("-X"), known_word((method.text or "").upper()), url, *sent)
        yield Run(words, script.seen.origin, Carrier("Invoke-RestMethod"))
    if (file := arguments.get_value("outfile")) is not None:
        got = unknown_word(f"the response of {url.display_text}", frozenset({script.seen.origin.command}))
        yield Write(script.seen.resolve_place(script.convert_path(file)), got, False, script.seen.origin)


def invoke_expression(
    script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None
) -> Iterator[ReportedEffect]:
    code = arguments.get_value("command", "scriptblock", "filepath") or (arguments.words[0] if arguments.words else None)
    if code is None:
        code = unknown_word("input of the pipeline", frozenset({script.seen.origin.command}))
    block = _SCRIPT_BLOCK.match(code.text or "")
    code = known_word(block[1], code.src) if block else code
    yield Interpret("powershell", code, script.seen.origin, via=Carrier("Invoke-Expression"))


def start_process(script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    program = arguments.get_value("filepath") or (arguments.words[0] if arguments.words else None)
    if program is not None:
        lines = arguments.get_all("argumentlist")
        more = [each for line in lines for each in (map(known_word, line.text.split()) if line.text is not None else (line,))]
        words = tuple(more) or arguments.words[1:]
        yield Run((program, *words), script.seen.origin, Carrier("Start-Process"))


def stop_service(script: ScriptReader, arguments: CmdletArguments, _before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    yield Operation(
        "service.control", script.seen.origin, join_words(arguments.words) if arguments.words else None, (("stop", True),)
    )


def stop_process(script: ScriptReader, arguments: CmdletArguments, before: CmdletArguments | None) -> Iterator[ReportedEffect]:
    stops_all = (before is not None and not before.words and not before.named) or any(
        word.text == "*" for word in (*arguments.words, *arguments.get_all("name"))
    )
    yield Operation(
        "process.kill",
        script.seen.origin,
        join_words(arguments.words) if arguments.words else None,
        (("everything", stops_all), ("by_name", True)),
    )


CMDLETS: Mapping[str, Cmdlet] = {
    **dict.fromkeys(("get-azkeyvaultsecret", "get-secret", "convertfrom-securestring", "get-ssmparameter"), show_secret),
    **dict.fromkeys(("get-azaccesstoken", "get-azstorageaccountkey", "get-secsecretvalue"), show_token),
    "remove-item": remove_item,
    "clear-content": clear_files,
    **dict.fromkeys(("get-content", "select-string", "import-csv", "import-clixml"), read_file),
    **dict.fromkeys(
        ("set-content", "add-content", "out-file", "new-item", "tee-object", "export-csv", "export-clixml"),
        write_file,
    ),
    **dict.fromkeys(("write-output", "write-host", "echo", "write"), print_words),
    "get-clipboard": read_clipboard,
    "get-childitem": list_items,
    "compress-archive": compress_archive,
    "send-mailmessage": send_mail,
    "invoke-sqlcmd": run_statement,
    "copy-item": copy_item,
    **dict.fromkeys(("move-item", "rename-item"), move_item),
    **dict.fromkeys(("invoke-webrequest", "invoke-restmethod", "start-bitstransfer"), download_file),
    **dict.fromkeys(("invoke-expression", "invoke-command"), invoke_expression),
    "start-process": start_process,
    **dict.fromkeys(("stop-service", "remove-service"), stop_service),
    "stop-process": stop_process,
}
