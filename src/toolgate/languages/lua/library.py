"""Lua's built-in modules, call tables, texts and tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from toolgate.languages.evaluation.path_words import ANY_NAME
from toolgate.languages.evaluation.shared_results import content_of
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.text_records import any_line
from toolgate.languages.evaluation.values import (
    NULL,
    Constant,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    text_of,
)
from toolgate.languages.scripting.library import ScriptLibrary
from toolgate.languages.scripting.words import shell_line, start_listed
from toolgate.model.effect import Interpret
from toolgate.model.word import Word

from . import calls
from .evaluator import LuaEvaluator

ROWS = """
os.execute(command=) => shell_line(command)
io.popen(command, mode=) => piped(command)
os.remove(path) -> delete(path)
os.rename(old, new) -> move(old, new)
os.tmpname() => temporary(None)
os.getenv(name) => variable(name)
os.exit(*rest) => never()
os.time|os.clock|os.date|os.difftime|os.setlocale|math.random|math.floor|math.max|math.min|math.randomseed|collectgarbage|tonumber|utf8.len|rawequal|type|debug.traceback|debug.getinfo(*rest) => number(rest)
io.open(path, mode=) => open_file(path, mode)
io.lines(path=, *rest) => lines_of(read_file(path))
io.output(path=) -> write(path)
io.input(path=) -> read(path)
io.read|io.stdin.read(*rest) => number()
io.close|io.flush|io.stderr.write|io.type(*rest) => none()
io.write|io.stdout.write(*values) -> print_values(values)
print(*values) -> print_values(values, '\\n')
file.write(*data) -> write_to(me, argv(data)) => same(me)
file.close|file.flush|file.seek|file.setvbuf(*rest) => same(me)
file.read(form=, *rest) => read_part(me, form)
file.lines(*rest) => lines_of(file_content(me))
cjson.decode|cjson.safe.decode|dkjson.decode|json.decode|lunajson.decode|rapidjson.decode(text, *rest) => document(text, 'json')
lyaml.load|yaml.load|yaml.eval(text, *rest) => document(text, 'yaml')
toml.parse|toml.decode(text, *rest) => document(text, 'toml')
loadfile(path=) -> interpret_file(path)
package.loadlib(*rest) -> opaque('a library of machine code is loaded')
lfs.rmdir(path) -> delete(path)
lfs.mkdir(path) -> write(path, append=True, folder=True)
lfs.chdir(path) -> change_folder(path)
lfs.currentdir() => cwd()
lfs.dir(path) => lines_of(name())
lfs.attributes|lfs.symlinkattributes|lfs.touch(path, *rest) => test()
lfs.link(old, new, symlink=) -> link(new, old)
posix.unlink|unix.unlink|posix.rmdir(path) -> delete(path)
posix.exec|posix.execp(path, *rest) -> start_listed(path, rest)
posix.fork() => test()
posix.kill(pid, signal=) -> kill(signal, pid)
vim.fn.system|vim.fn.systemlist|vim.fn.jobstart|vim.fn.termopen|vim.system|vim.cmd.shell(command, *rest) => text_or_argv(command)
vim.loop.spawn|vim.uv.spawn(path, options=, *rest) => spawned(path, options)
vim.cmd|vim.api.nvim_command|vim.api.nvim_exec|vim.api.nvim_exec2(command, *rest) => ex_command(command)
os.outputof|os.iorun|os.exec|os.run(command, *rest) => shell_line(command)
os.execv|os.runv|os.iorunv(program, words=, *rest) => spawned(program, words)
os.rm|os.tryrm|os.rmdir(path, *rest) -> delete(path, True)
vim.fn.delete(path, flags=) -> delete(path, True)
vim.loop.fs_unlink|vim.uv.fs_unlink|vim.loop.fs_rmdir(path, *rest) -> delete(path)
vim.fs.rm(path, options=) -> delete(path, True)
pl.dir.rmtree|dir.rmtree(path) -> delete(path, True)
socket.connect|socket.tcp|socket.udp(host=, port=, *rest) => open_socket(host, port)
socket.http.request|http.request|ssl.https.request|https.request(url, body=) => send(url, body)
?.connect(host, port=, *rest) -> connect(host)
?.send(data=, *rest) -> send_more(data)
?.execute|?.query|?.exec(query=, *rest) -> ask(query)
"""


class LuaLibrary(ScriptLibrary):
    false_texts = ()
    zero_is_false = False
    concatenates = ("..",)
    rest_kind = list_kind = "values"

    def __init__(self) -> None:
        super().__init__(
            ROWS, calls.CALLS, calls.HARMFUL, "globals _G _ENV os io string table math utf8 debug package", LUA_RESULTS
        )

    def canonicalize_name(self, name: str) -> str:
        for prefix in ("globals.", "_G.", "_ENV.", "package.loaded."):
            while name.startswith(prefix):
                name = name.removeprefix(prefix)
        return name

    def find_builtin(self, evaluation: Evaluation, name: str) -> Value | None:
        if name == "arg":
            found = evaluation.report.script_arguments()
            assert isinstance(found, ListValue)
            return MapValue([(n, each) for n, each in enumerate(found.items)], found.rest)
        if name == "...":
            found = evaluation.report.script_arguments()
            assert isinstance(found, ListValue)
            return ListValue("values", found.items[1:], found.rest)
        return super().find_builtin(evaluation, name)

    def read_constant(self, _evaluation: Evaluation, name: str) -> Value | None:
        if name == "os.environ":
            return Instance("os.environ")
        return None

    def read_property(self, evaluation: Evaluation, owner: Value, name: str) -> Value | None:
        if isinstance(owner, MapValue):
            assert isinstance(evaluation, LuaEvaluator)
            found = evaluation.find_in_table(owner, name)
            return (
                found
                if found is not None
                else owner.rest
                if owner.rest is not None
                else NULL
                if evaluation.is_certain
                else Unknown(name)
            )
        if isinstance(owner, Reference) and owner.receiver is None and owner.name in ("_G", "_ENV"):
            return evaluation.evaluate(_name(name))
        return super().read_property(evaluation, owner, name)

    def read_index(self, evaluation: Evaluation, owner: Value, key: Value) -> Value | None:
        if isinstance(owner, MapValue) and isinstance(key, Word | Constant):
            literal = key.value if isinstance(key, Constant) else key.text
            assert isinstance(evaluation, LuaEvaluator)
            found = evaluation.find_in_table(owner, literal) if literal is not None else None
            if found is not None:
                return evaluation.join_values(found, owner.rest)
        return super().read_index(evaluation, owner, key)

    def apply_operator(self, evaluation: Evaluation, operator: str, left: Value, right: Value) -> Value | None:
        first, second = calls.first_of(left), calls.first_of(right)
        if first is not left or second is not right:
            return evaluation.apply_operator(operator, first, second)
        return super().apply_operator(evaluation, operator, left, right)


def _name(name: str) -> Any:
    from toolgate.languages.evaluation import nodes

    return nodes.Name(name)


def _pipe_command(evaluation: Evaluation, command: Value | None) -> Value:
    return Instance("file", {"path": NULL, "printed": shell_line(evaluation, command), "command": command or NULL})


def _run_text_or_argv(evaluation: Evaluation, command: Value | None) -> Value:
    """Runs a text in a shell, or the words of a table as a program and its arguments."""
    return _spawn(evaluation, None, command) if isinstance(command, MapValue) else shell_line(evaluation, command)


def _spawn(evaluation: Evaluation, program: Value | None, words: Value | None = None) -> Value:
    """Starts a program with the words of a table, or with those under `args` in it, as its arguments."""
    held = words.entries.get("args", words) if isinstance(words, MapValue) else words
    items, rest = calls.items_of_table(held)
    return start_listed(evaluation, program, ListValue("array", items, rest))


def _run_ex_command(evaluation: Evaluation, command: Value | None) -> Value:
    evaluation.report.interpret(command, "vim")
    return NULL


def _file_content(evaluation: Evaluation, file: Value | None) -> Value:
    if isinstance(file, Instance) and "printed" in file.fields:
        return file.fields["printed"]
    path = file.fields.get("path") if isinstance(file, Instance) else None
    return content_of(evaluation, None if path is NULL else path)


def _lines_of(_evaluation: Evaluation, text: Value | None = None) -> Value:
    return ListValue("iterator", (), calls.several_values(text if text is not None else Unknown("a line")))


def _read_part(evaluation: Evaluation, file: Value | None = None, form: Value | None = None) -> Value:
    """Returns a line of a file, or with `*a` the whole of it."""
    content = _file_content(evaluation, file)
    return content if (text_of(form) or "").lstrip("*").startswith("a") else any_line(evaluation, content)


LUA_RESULTS: Mapping[str, Any] = {
    "lines_of": _lines_of,
    "text_or_argv": _run_text_or_argv,
    "spawned": _spawn,
    "ex_command": _run_ex_command,
    "piped": _pipe_command,
    "file_content": _file_content,
    "read_part": _read_part,
    "name": lambda _evaluation: ANY_NAME,
}


def bind_variables(_evaluation: Evaluation, _code: Interpret) -> None:
    """Binds no variables; a Lua program starts with none."""


@lru_cache(1)
def library() -> LuaLibrary:
    return LuaLibrary()
