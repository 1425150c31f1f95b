"""Python by its own grammar: the calls that touch files, run programs or connect, wherever they stand in the text.

Names are followed through imports and simple assignments; every path through the code counts. What hides a call (`exec` of
something computed, `getattr` with a computed name) is Opaque.
"""

import ast
import re
from collections.abc import Iterator

from toolgate.model.effect import (
    Connect,
    Delete,
    Interpret,
    Link,
    Move,
    Opaque,
    Operation,
    Permission,
    Prints,
    Read,
    Reported,
    Run,
    Write,
)
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined, known, unknown

from .endless import forks, grows
from .loops import Scope, readings, scopes
from .names import DECODES, Names

_DELETES = {
    "shutil.rmtree": True,
    "os.remove": False,
    "os.unlink": False,
    "os.rmdir": False,
    "os.removedirs": False,
    "send2trash.send2trash": True,
    "distutils.dir_util.remove_tree": True,
    "setuptools._distutils.dir_util.remove_tree": True,
}
_MOVES = ("shutil.move", "os.rename", "os.renames", "os.replace")
_COPIES = ("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree")
_SHELLS = ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput", "pty.spawn")
_OF_C = re.compile(r"ctypes\.(?:CDLL|PyDLL|cdll\.LoadLibrary)(?:\(.*\))?\.(?:system|popen)")
_RUNS = ("subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen")
_STARTS = ("os.exec", "os.spawn", "os.posix_spawn", "asyncio.create_subprocess")
_MANAGES = "call_command"
"""Django's: what stands behind `manage.py`."""
_ASKS = ("execute", "executescript", "flushall", "flushdb", "drop_database", "drop_all")
_OF_CLUSTERS = ("delete_namespace", "delete_collection_", "delete_node", "delete_persistent_volume", "delete_cluster_")
"""Calls of Kubernetes' library."""
_MODES = ("os.chmod", "os.chown", "os.lchown")
_LINKS = ("os.symlink", "os.link")
_FILES = frozenset(("os.truncate", *_DELETES, *_MOVES, *_COPIES, *_MODES, *_LINKS))
_SENDS = ("requests.", "httpx.", "urllib.request.urlopen", "urllib.request.urlretrieve", "urllib3.", "aiohttp.")
_TYPES = str(0x5412)  # TIOCSTI
_LONGEST = 800_000
_AMAZON = re.compile(r"boto3\.(?:[\w.()-]+\.)?(?P<kind>client|resource)\((?P<service>[\w-]+)\)\.(?:.*\.)?(?P<verb>\w+)")
_OBJECTS = {"stop": "instances", "terminate": "instances", "reboot": "instances"}


def _of_an_index(verb: str, target: ast.expr) -> bool:
    """`client.indices.delete(...)`, of Elasticsearch's library."""
    return verb == "delete" and isinstance(target, ast.Attribute) and target.attr == "indices"


def read(code: Interpret, text: str, seen: Seen) -> Iterator[Reported]:
    if len(text) > _LONGEST:
        yield Opaque("this Python code is longer than the gate reads", seen.origin)
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # an interpreter refuses it as a whole; Python 2 might not
        if not code.file:
            yield Opaque("this Python code cannot be read", seen.origin)
        return
    names = Names(code, seen)
    calls = _Calls(names, code, seen)
    nodes = list(ast.walk(tree))
    within = scopes(tree)
    for node in nodes:
        names.globs = _globs(within.get(id(node), {}))
        names.learn(node)
    names.globs = {}
    made = [node for node in nodes if isinstance(node, ast.Call)]
    if not code.file and _joins_shell({names.name(node.func) for node in made}):
        yield Operation("network.shell", seen.origin)
    if not code.file and any(forks(node, names) for node in nodes):
        yield Operation("process.replicate", seen.origin)
    if not code.file and any(grows(node) for node in nodes):
        yield Operation("memory.fill", seen.origin)
    if any(names.name(node.func) in DECODES for node in made):
        yield Operation("text.decode", seen.origin)
    if any(names.name(node) == "termios.TIOCSTI" for node in nodes if isinstance(node, ast.Attribute | ast.Name)) or any(
        names.name(node.func) == "fcntl.ioctl" and len(node.args) > 1 and names.value(node.args[1]).text == _TYPES
        for node in made
    ):
        yield Operation("terminal.type", seen.origin)
    for node in made:
        for reading, names.globs in readings(node, within.get(id(node), {})):
            yield from calls.call(reading)
    names.globs = {}
    said, printed = _said(tree, names), seen.output("what Python prints")
    yield Prints(printed if said is None else known(said, printed.src))


def _globs(scope: Scope) -> dict[str, str]:
    """What surely holds of a name where nothing is read more than once."""
    return {name: each[0] for name, each in scope.items() if len(each) == 1 and isinstance(each[0], str)}


def _said(tree: ast.Module, names: Names) -> str | None:
    """What code prints that does nothing else; None where that is not known."""
    texts: list[str] = []
    for statement in tree.body:
        match statement:
            case ast.Import(names=[ast.alias(name="sys", asname=None)]):  # no file can stand in its place
                continue
            case ast.Assign(targets=[ast.Name(id=name)]) if name not in ("print", "sys"):
                continue
            case ast.Expr(value=ast.Call(func=function, args=args, keywords=[])) if (name := names.name(function)) in _SAYS:
                words = [names.value(each).text for each in args]
                if None in words:
                    return None
                texts.append(" ".join(word for word in words if word is not None) + _SAYS[name])
            case _:
                return None
    called = sum(isinstance(node, ast.Call) for node in ast.walk(tree))
    return "".join(texts) if called == len(texts) else None


_SAYS = {"print": "\n", "sys.stdout.write": ""}
_CONNECTS = ("socket.create_connection", "socket.fromfd")


def _joins_shell(called: set[str]) -> bool:
    """A socket whose descriptor becomes a program's input and output."""
    shells = ("os.dup2", "pty.spawn", "subprocess.call", "subprocess.Popen", "subprocess.run")
    return any(name in _CONNECTS or name.startswith("socket.socket") for name in called) and not called.isdisjoint(shells)


def _given(node: ast.Call) -> Iterator[ast.expr]:
    yield from node.args
    yield from (keyword.value for keyword in node.keywords)


class _Calls:
    """The calls in some code, by what they do."""

    def __init__(self, names: Names, code: Interpret, seen: Seen) -> None:
        self._names, self._code, self._seen = names, code, seen
        self._trusted = bool(code.file) and not code.code.src  # its author's doing, as in any program

    def call(self, node: ast.Call) -> Iterator[Reported]:
        name = self._names.name(node.func)
        if name.startswith("boto3."):
            yield from self._amazon(name)
        elif name in ("os.makedirs", "os.mkdir") and node.args:
            yield Write(self._seen.place(self._names.value(node.args[0])), None, True, self._seen.origin, folder=True)
        elif name in ("os.kill", "os.killpg") and node.args:
            yield from self._killed(node, self._names.value(node.args[0]))
        else:
            yield from self._called(name, node)

    def _called(self, name: str, node: ast.Call) -> Iterator[Reported]:
        first = self._names.value(node.args[0]) if node.args else None
        if first is None:
            if isinstance(node.func, ast.Attribute):
                yield from self._method(node, node.func)
        elif name in _FILES:
            yield from self._file(name, node, first)
        elif name in ("open", "io.open", "codecs.open", "os.open"):
            yield from self._opened(node, first)
        elif name in _SHELLS or _OF_C.fullmatch(name):
            yield Interpret("shell", first, self._seen.origin, via=name)
        elif name in _RUNS or name.startswith(_STARTS) or name.endswith(_MANAGES):
            yield from self._ran(name, node)
        elif name.startswith(_SENDS):
            yield from self._sent(name, node)
        elif name.endswith((".connect", ".connect_ex")) and name.startswith(("socket.", "?")):
            sends = unknown("what Python sends", frozenset({self._seen.origin.command}))
            yield Connect(self._address(node.args[0]), self._seen.origin, sends)
        elif name == "sqlite3.connect":
            yield Read(self._seen.place(first), self._seen.origin)
        elif name in ("exec", "eval", "runpy.run_path", "pickle.loads"):
            yield from self._unpickled(node.args[0]) if name == "pickle.loads" else self._evaluated(name, first, node.args[0])
        elif isinstance(node.func, ast.Attribute):
            yield from self._method(node, node.func)

    def _unpickled(self, node: ast.expr) -> Iterator[Reported]:
        """What is decoded on the way can be anything, and a pickle runs what it says."""
        if isinstance(node, ast.Call) and self._names.name(node.func) in DECODES:
            made = unknown("a pickle", frozenset({self._seen.origin.command}))
            yield Interpret("python", made, self._seen.origin, via="Python's pickle.loads")

    def _amazon(self, name: str) -> Iterator[Reported]:
        """Amazon's library names its calls as the command line does: `client("s3").delete_bucket()` is `aws s3 delete-bucket`. An
        object of a resource has short ones: `Bucket("x").delete()`."""
        found = _AMAZON.fullmatch(name)
        if found is not None and not self._trusted:
            verb = found["verb"].replace("_", "-")
            whole = verb if found["kind"] == "client" else f"{verb}-{_OBJECTS.get(verb, 'objects')}"
            yield Run((known("aws"), known(found["service"]), known(whole)), self._seen.origin, "boto3")

    def _killed(self, node: ast.Call, target: Word) -> Iterator[Reported]:
        nothing = len(node.args) > 1 and self._names.value(node.args[1]).text == "0"
        everything = target.text in ("-1", "1")
        if not nothing and (everything or not self._trusted):
            yield Operation("process.kill", self._seen.origin, target, (("everything", everything), ("by_name", False)))

    def _file(self, name: str, node: ast.Call, first: Word) -> Iterator[Reported]:
        seen, second = self._seen, self._names.value(node.args[1]) if len(node.args) > 1 else None
        if name in _DELETES:
            yield Delete(seen.place(first, follow=False), _DELETES[name], seen.origin)
        elif name in _MODES:
            mode = unknown(name) if second is None else self._mode(node.args[1])
            yield Permission(seen.place(first), mode, False, seen.origin)
        elif name == "os.truncate":
            yield Write(seen.place(first), None, False, seen.origin)
        elif second is None:
            return
        elif name in _MOVES:
            yield Move(seen.place(first, follow=False), seen.place(second), seen.origin)
        elif name in _COPIES:
            yield Read(seen.place(first), seen.origin)
            yield Write(seen.place(second), seen.read(first), False, seen.origin)
        else:
            yield Link(seen.place(second, follow=False), seen.place(first), name == "os.symlink", seen.origin)

    def _mode(self, node: ast.expr) -> Word:
        return (
            known(oct(node.value)[2:])
            if isinstance(node, ast.Constant) and isinstance(node.value, int)
            else self._names.value(node)
        )

    def _opened(self, node: ast.Call, file: Word) -> Iterator[Reported]:
        mode = next(
            (keyword.value for keyword in node.keywords if keyword.arg == "mode"), node.args[1] if len(node.args) > 1 else None
        )
        text = mode.value if isinstance(mode, ast.Constant) else "r" if mode is None else "w"
        place = self._seen.place(file)
        if set(str(text)) <= set("rbtU"):
            yield Read(place, self._seen.origin)
            self._seen.read(file)
        else:
            yield Write(
                place, unknown("what Python writes", frozenset({self._seen.origin.command})), "a" in str(text), self._seen.origin
            )

    def _ran(self, name: str, node: ast.Call) -> Iterator[Reported]:
        args = node.args
        if not args:
            return
        shell = any(
            k.arg == "shell" and not (isinstance(k.value, ast.Constant) and k.value.value is False) for k in node.keywords
        )
        folder = next((self._names.value(k.value) for k in node.keywords if k.arg == "cwd"), None)
        if isinstance(args[0], ast.List | ast.Tuple):
            words = [self._names.value(each) for each in args[0].elts]
        elif name.startswith(("os.exec", "os.spawn", "os.posix_spawn")):
            values = args[1:] if name.startswith("os.spawn") else args
            lists = [each for each in values if isinstance(each, ast.List | ast.Tuple)]
            words = [self._names.value(each) for each in (lists[0].elts if lists else values[1:])]
        elif name.endswith(_MANAGES):
            words = [known("manage.py"), *(self._names.value(each) for each in args)]
        elif name.startswith("asyncio.create_subprocess_exec"):
            words = [self._names.value(each) for each in args]
        elif not shell and name in _RUNS and (text := self._names.value(args[0]).text) is not None and " " not in text:
            words = [known(text)]
        else:
            code = self._names.value(args[0])
            if code.text is None and not self._trusted:
                code = code.from_commands(frozenset({self._seen.origin.command}))
            yield Interpret("shell", code, self._seen.origin, via=name)
            return
        if words and shell:
            yield Interpret("shell", words[0], self._seen.origin, via=name)
        elif words:
            yield Run(tuple(words), self._seen.origin, name, cwd=folder)

    def _sent(self, name: str, node: ast.Call) -> Iterator[Reported]:
        target = self._names.value(node.args[1 if name.endswith(".request") and len(node.args) > 1 else 0])
        body = [self._names.value(k.value) for k in node.keywords if k.arg in ("data", "json", "files", "content", "params")] + [
            self._names.value(each) for each in node.args[1:2]
        ]
        if self._names.tells_environment(*_given(node)):
            yield Operation("environment.print", self._seen.origin)
            body.append(self._made("the environment"))
        yield Connect(target, self._seen.origin, joined(body) if body else None)
        verb = self._names.value(node.args[0]).text if name.endswith(".request") else name.rpartition(".")[2]
        if (verb or "").upper() == "DELETE":
            yield Run((known("curl"), known("-X"), known("DELETE"), target), self._seen.origin, name)
        if name.endswith("urlretrieve") and len(node.args) > 1:
            got = unknown(f"what {target.shown} sends", frozenset({self._seen.origin.command}))
            yield Write(self._seen.place(self._names.value(node.args[1])), got, False, self._seen.origin)

    def _made(self, why: str) -> Word:
        return unknown(why, frozenset({self._seen.origin.command}))

    def _address(self, node: ast.expr) -> Word:
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            return self._names.value(node.elts[0]) + known(":") + self._names.value(node.elts[1])
        return self._names.value(node)

    def _evaluated(self, name: str, code: Word, node: ast.expr) -> Iterator[Reported]:
        file = code if name == "runpy.run_path" else self._all_of_a_file(node)
        if file is not None and file.text is not None:
            for content in self._seen.contents(file):
                yield Interpret("python", content, self._seen.origin, self._code.args, f"python {name}", file=file.shown)
        elif code.text is not None and name != "runpy.run_path":
            yield Interpret("python", code, self._seen.origin, self._code.args, name)
        else:
            made = code.from_commands(frozenset({self._seen.origin.command}))
            yield Interpret("python", made, self._seen.origin, via=f"python {name}")

    def _all_of_a_file(self, node: ast.expr) -> Word | None:
        """The file of `open(F).read()`, `Path(F).read_text()`, `compile(open(F).read(), ..)`."""
        match node:
            case ast.Call(func=ast.Name(id="compile"), args=[inner, *_]):
                return self._all_of_a_file(inner)
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="open"), args=[file, *_]), attr="read"), args=[]):
                return self._names.value(file)
            case ast.Call(func=ast.Attribute(value=path, attr="read_text" | "read_bytes")) if self._is_path(path):
                return self._names.value(path)
            case _:
                return None

    def _method(self, node: ast.Call, function: ast.Attribute) -> Iterator[Reported]:
        """Methods of pathlib's paths, SQL that is executed, and what empties a database."""
        seen, target = self._seen, function.value
        match function.attr:
            case "unlink" | "rmdir":
                yield Delete(seen.place(self._names.value(target), follow=False), False, seen.origin)
            case str(verb) if verb in _ASKS or verb.startswith(_OF_CLUSTERS) or _of_an_index(verb, target):
                yield from self._asked(node, verb)
            case "write_text" | "write_bytes":
                content = self._names.value(node.args[0]) if node.args else None
                yield Write(seen.place(self._names.value(target)), content, False, seen.origin)
            case "read_text" | "read_bytes":
                yield Read(seen.place(self._names.value(target)), seen.origin)
                seen.read(self._names.value(target))
            case "touch" | "mkdir":
                yield Write(seen.place(self._names.value(target)), None, True, seen.origin, folder=function.attr == "mkdir")
            case "rename" | "replace" if len(node.args) == 1:
                if self._is_path(target):
                    yield Move(
                        seen.place(self._names.value(target), follow=False),
                        seen.place(self._names.value(node.args[0])),
                        seen.origin,
                    )
            case "symlink_to" | "hardlink_to" if node.args:
                yield Link(
                    seen.place(self._names.value(target), follow=False),
                    seen.place(self._names.value(node.args[0])),
                    function.attr == "symlink_to",
                    seen.origin,
                )
            case "send" | "sendall" | "sendto" | "post" | "put" | "request" if self._names.tells_environment(*_given(node)):
                yield Operation("environment.print", seen.origin)
                yield Connect(unknown("a server"), seen.origin, self._made("the environment"))
            case "chmod" if node.args:
                yield Permission(seen.place(self._names.value(target)), self._mode(node.args[0]), False, seen.origin)
            case "open" if self._is_path(target):
                yield from self._opened(
                    ast.Call(func=function, args=[target, *node.args], keywords=node.keywords), self._names.value(target)
                )
            case _:
                pass

    def _asked(self, node: ast.Call, method: str) -> Iterator[Reported]:
        """What code given inline asks of a database; that of a file is its author's, that in memory anybody's."""
        if self._trusted or ":memory:" in self._code.code.shown:
            return
        if method.startswith(_OF_CLUSTERS):
            yield Operation("kubernetes.delete", self._seen.origin, known(method), (("dry_run", False),))
        elif not method.startswith("execute"):
            name = "database.delete" if method.startswith("flush") else "database.drop"
            yield Operation(name, self._seen.origin, known(f"everything ({method})"), (("disposable", False),))
        elif node.args and (query := self._names.value(node.args[0])).head:
            yield Interpret("sql", query, self._seen.origin, via=f"python {method}")

    def _is_path(self, node: ast.expr) -> bool:
        """`replace` and `open` are methods of many things; only what surely is a path counts."""
        return isinstance(node, ast.Call) and self._names.name(node.func).startswith(("pathlib.", "Path"))
