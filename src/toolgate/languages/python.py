"""Python by its own grammar: the calls that touch files, run programs or connect, wherever they stand in the text.

Names are followed through imports and simple assignments; every path through the code counts. What hides a call (`exec` of
something computed, `getattr` with a computed name) is Opaque.
"""

import ast
import re
from collections.abc import Iterator

from toolgate.model.effect import Connect, Delete, Interpret, Link, Move, Opaque, Permission, Prints, Read, Reported, Run, Write
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Hole, Word, joined, known, unknown

_DELETES = {
    "shutil.rmtree": True,
    "os.remove": False,
    "os.unlink": False,
    "os.rmdir": False,
    "os.removedirs": False,
    "send2trash.send2trash": True,
}
_MOVES = ("shutil.move", "os.rename", "os.renames", "os.replace")
_COPIES = ("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree")
_SHELLS = ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput", "pty.spawn")
_RUNS = ("subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen")
_SENDS = ("requests.", "httpx.", "urllib.request.urlopen", "urllib.request.urlretrieve", "urllib3.", "aiohttp.")
_LINES = 20_000


def read(code: Interpret, text: str, seen: Seen) -> Iterator[Reported]:
    if len(text) > _LINES * 40:
        yield Opaque("this Python code is longer than the gate reads", seen.origin)
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # an interpreter refuses it as a whole; Python 2 might not
        if not code.file:
            yield Opaque("this Python code cannot be read", seen.origin)
        return
    reading = _Reading(code, seen)
    nodes = list(ast.walk(tree))
    for node in nodes:
        reading.learn(node)
    for node in nodes:
        if isinstance(node, ast.Call):
            yield from reading.call(node)
    if any(isinstance(node, ast.Call) and reading.name(node.func) in ("print", "sys.stdout.write") for node in nodes):
        yield Prints(seen.output("what Python prints"))
    else:
        yield Prints(EMPTY)


class _Reading:
    def __init__(self, code: Interpret, seen: Seen) -> None:
        self.code, self.seen = code, seen
        self._names: dict[str, str] = {}
        self._values: dict[str, Word] = {}

    # ---- names and values

    def learn(self, node: ast.AST) -> None:
        """What imports and plain assignments say about names."""
        match node:
            case ast.Import(names=names):
                self._names.update(
                    {
                        alias.asname or alias.name.partition(".")[0]: alias.name if alias.asname else alias.name.partition(".")[0]
                        for alias in names
                    }
                )
            case ast.ImportFrom(module=str(module), names=names):
                self._names.update({alias.asname or alias.name: f"{module}.{alias.name}" for alias in names})
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if isinstance(value, ast.Attribute):
                    self._names[name] = self.name(value)
                elif (
                    isinstance(value, ast.Call)
                    and self.name(value.func) in ("__import__", "importlib.import_module")
                    and value.args
                ):
                    self._names[name] = self.value(value.args[0]).text or "?"
                else:
                    self._learn_value(name, self.value(value))
            case ast.For(target=ast.Name(id=name), iter=over) | ast.comprehension(target=ast.Name(id=name), iter=over):
                self._learn_value(name, self._each(over))
            case _:
                pass

    def _each(self, node: ast.expr) -> Word:
        """One of what a loop goes through: files in a folder, members of a literal list."""
        if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1:
            return self.value(node.elts[0])
        if isinstance(node, ast.Call) and node.args and self.name(node.func) in ("glob.glob", "glob.iglob"):
            return globbed(self.value(node.args[0]))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("iterdir", "glob", "rglob"):
            return self.value(node.func.value) + Word(("/", Hole("*", "*")))
        return unknown(ast.unparse(node)[:60])

    def _learn_value(self, name: str, value: Word) -> None:
        self._values[name] = value if name not in self._values else unknown(name)

    def name(self, node: ast.expr) -> str:
        """The dotted name of what is called, as far as it is plain."""
        match node:
            case ast.Name(id=name):
                return self._names.get(name, name)
            case ast.Attribute(value=value, attr=attribute):
                return f"{self.name(value)}.{attribute}"
            case ast.Call(func=func, args=[ast.Constant(value=str(module)), *_]) if self.name(func) in (
                "__import__",
                "importlib.import_module",
            ):
                return module
            case ast.Call(func=func, args=[target, ast.Constant(value=str(attribute)), *_]) if self.name(func) == "getattr":
                return f"{self.name(target)}.{attribute}"
            case ast.Call(func=func):
                return f"{self.name(func)}()"
            case _:
                return "?"

    def value(self, node: ast.expr) -> Word:
        """The text of an expression, known or not."""
        match node:
            case ast.Constant(value=str(text)):
                return known(text)
            case ast.Constant(value=bytes(data)):
                return known(data.decode("utf-8", "replace"))
            case ast.Constant(value=constant):
                return known(str(constant))
            case ast.Name(id=name):
                return self._values.get(name) or unknown(name)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.value(left) + self.value(right)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return _under(self.value(left), self.value(right))
            case ast.JoinedStr(values=parts):
                return joined([self.value(part.value if isinstance(part, ast.FormattedValue) else part) for part in parts], "")
            case ast.Call():
                return self._called_value(node)
            case ast.Subscript(value=value, slice=ast.Constant(value=int(index))) if self.name(value) == "sys.argv":
                arguments = self.code.args if self.code.file else (known("-c"), *self.code.args)
                return arguments[index] if 0 <= index < len(arguments) else unknown("sys.argv")
            case _:
                return unknown(ast.unparse(node)[:60])

    def _called_value(self, node: ast.Call) -> Word:
        name, args = self.name(node.func), node.args
        if (
            name
            in (
                "os.path.expanduser",
                "pathlib.Path",
                "str",
                "os.fspath",
                "os.path.abspath",
                "os.path.realpath",
                "pathlib.PurePath",
            )
            and args
        ):
            value = self.value(args[0])
            for more in args[1:]:
                value = _under(value, self.value(more))
            if name == "os.path.expanduser" and value.starts("~") is True:
                return known(self.seen.home) + value.cut(1)
            return value
        if name == "os.path.join" and args:
            value = self.value(args[0])
            for more in args[1:]:
                value = _under(value, self.value(more))
            return value
        if name.endswith("Path.home"):
            return known(self.seen.home)
        if name in ("os.getcwd", "pathlib.Path.cwd"):
            return self.seen.cwd
        if name in ("os.environ.get", "os.getenv") and args:
            return known(self.seen.home) if self.value(args[0]).text == "HOME" else unknown(f"${self.value(args[0]).shown}")
        if name.endswith(".expanduser()") or name.endswith(".expanduser"):
            value = self.value(node.func.value) if isinstance(node.func, ast.Attribute) else EMPTY
            return known(self.seen.home) + value.cut(1) if value.starts("~") is True else value
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("resolve", "absolute", "joinpath", "as_posix"):
            value = self.value(node.func.value)
            for more in args:
                value = _under(value, self.value(more))
            return value
        if name.endswith((".read", ".read_text", ".read_bytes", ".read().decode")) or name == "input":
            return unknown(ast.unparse(node)[:60], frozenset({self.seen.origin.command}))
        return unknown(ast.unparse(node)[:60])

    # ---- calls

    def call(self, node: ast.Call) -> Iterator[Reported]:
        name, args, seen = self.name(node.func), node.args, self.seen
        first = self.value(args[0]) if args else None
        if name in _DELETES and first is not None:
            yield Delete(seen.place(first, follow=False), _DELETES[name], seen.origin)
        elif name in _MOVES and len(args) > 1 and first is not None:
            yield Move(seen.place(first, follow=False), seen.place(self.value(args[1])), seen.origin)
        elif name in _COPIES and len(args) > 1 and first is not None:
            yield Read(seen.place(first), seen.origin)
            yield Write(seen.place(self.value(args[1])), seen.read(first), False, seen.origin)
        elif name in ("os.symlink", "os.link") and len(args) > 1 and first is not None:
            yield Link(seen.place(self.value(args[1]), follow=False), seen.place(first), name == "os.symlink", seen.origin)
        elif name in ("os.chmod", "os.chown", "os.lchown") and first is not None:
            mode = unknown(name) if len(args) < 2 else self._mode(args[1])
            yield Permission(seen.place(first), mode, False, seen.origin)
        elif name in ("open", "io.open", "codecs.open", "os.open") and first is not None:
            yield from self._opened(node, first)
        elif name in _SHELLS and first is not None:
            yield Interpret("shell", first, seen.origin, via=name)
        elif name in _RUNS or name.startswith(("os.exec", "os.spawn", "os.posix_spawn", "asyncio.create_subprocess")):
            yield from self._ran(name, node)
        elif name.startswith(_SENDS) and first is not None:
            yield from self._sent(name, node)
        elif name.endswith((".connect", ".connect_ex")) and name.startswith(("socket.", "?")) and args:
            yield Connect(self._address(args[0]), seen.origin, unknown("what Python sends", frozenset({seen.origin.command})))
        elif name in ("exec", "eval", "compile", "runpy.run_path") and first is not None:
            yield from self._evaluated(name, first)
        elif isinstance(node.func, ast.Attribute):
            yield from self._method(node, node.func)

    def _mode(self, node: ast.expr) -> Word:
        return known(oct(node.value)[2:]) if isinstance(node, ast.Constant) and isinstance(node.value, int) else self.value(node)

    def _opened(self, node: ast.Call, file: Word) -> Iterator[Reported]:
        mode = next(
            (keyword.value for keyword in node.keywords if keyword.arg == "mode"), node.args[1] if len(node.args) > 1 else None
        )
        text = mode.value if isinstance(mode, ast.Constant) else "r" if mode is None else "w"
        place = self.seen.place(file)
        if set(str(text)) <= set("rbtU"):
            yield Read(place, self.seen.origin)
            self.seen.read(file)
        else:
            yield Write(
                place, unknown("what Python writes", frozenset({self.seen.origin.command})), "a" in str(text), self.seen.origin
            )

    def _ran(self, name: str, node: ast.Call) -> Iterator[Reported]:
        args = node.args
        if not args:
            return
        shell = any(
            k.arg == "shell" and not (isinstance(k.value, ast.Constant) and k.value.value is False) for k in node.keywords
        )
        folder = next((self.value(k.value) for k in node.keywords if k.arg == "cwd"), None)
        if isinstance(args[0], ast.List | ast.Tuple):
            words = [self.value(each) for each in args[0].elts]
        elif name.startswith(("os.exec", "os.spawn")):
            values = args[1:] if name.startswith("os.spawn") else args
            lists = [each for each in values if isinstance(each, ast.List | ast.Tuple)]
            words = [self.value(each) for each in (lists[0].elts if lists else values[1:])]
        elif name.startswith("asyncio.create_subprocess_exec"):
            words = [self.value(each) for each in args]
        elif not shell and name in _RUNS and (text := self.value(args[0]).text) is not None and " " not in text:
            words = [known(text)]
        else:
            yield Interpret("shell", self.value(args[0]), self.seen.origin, via=name)
            return
        if words and shell:
            yield Interpret("shell", words[0], self.seen.origin, via=name)
        elif words:
            yield Run(tuple(words), self.seen.origin, name, cwd=folder)

    def _sent(self, name: str, node: ast.Call) -> Iterator[Reported]:
        target = self.value(node.args[1 if name.endswith(".request") and len(node.args) > 1 else 0])
        body = [self.value(k.value) for k in node.keywords if k.arg in ("data", "json", "files", "content", "params")] + [
            self.value(each) for each in node.args[1:2]
        ]
        yield Connect(target, self.seen.origin, joined(body) if body else None)
        if name.endswith("urlretrieve") and len(node.args) > 1:
            got = unknown(f"what {target.shown} sends", frozenset({self.seen.origin.command}))
            yield Write(self.seen.place(self.value(node.args[1])), got, False, self.seen.origin)

    def _address(self, node: ast.expr) -> Word:
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            return self.value(node.elts[0]) + known(":") + self.value(node.elts[1])
        return self.value(node)

    def _evaluated(self, name: str, code: Word) -> Iterator[Reported]:
        if code.text is not None and name in ("exec", "eval"):
            yield Interpret("python", code, self.seen.origin, self.code.args, name)
        elif name != "compile":
            yield Interpret("python", code, self.seen.origin, via=f"python {name}")

    def _method(self, node: ast.Call, function: ast.Attribute) -> Iterator[Reported]:
        """Methods of pathlib's paths."""
        seen, target = self.seen, function.value
        match function.attr:
            case "unlink" | "rmdir":
                yield Delete(seen.place(self.value(target), follow=False), False, seen.origin)
            case "write_text" | "write_bytes":
                content = self.value(node.args[0]) if node.args else None
                yield Write(seen.place(self.value(target)), content, False, seen.origin)
            case "read_text" | "read_bytes":
                yield Read(seen.place(self.value(target)), seen.origin)
                seen.read(self.value(target))
            case "touch" | "mkdir":
                yield Write(seen.place(self.value(target)), None, True, seen.origin)
            case "rename" | "replace" if len(node.args) == 1:
                if self._is_path(target):
                    yield Move(seen.place(self.value(target), follow=False), seen.place(self.value(node.args[0])), seen.origin)
            case "symlink_to" | "hardlink_to" if node.args:
                yield Link(
                    seen.place(self.value(target), follow=False),
                    seen.place(self.value(node.args[0])),
                    function.attr == "symlink_to",
                    seen.origin,
                )
            case "chmod" if node.args:
                yield Permission(seen.place(self.value(target)), self._mode(node.args[0]), False, seen.origin)
            case "open" if self._is_path(target):
                yield from self._opened(
                    ast.Call(func=function, args=[target, *node.args], keywords=node.keywords), self.value(target)
                )
            case _:
                pass

    def _is_path(self, node: ast.expr) -> bool:
        """`replace` and `open` are methods of many things; only what surely is a path counts."""
        return isinstance(node, ast.Call) and self.name(node.func).startswith(("pathlib.", "Path"))


def globbed(pattern: Word) -> Word:
    """A glob given as text, as the files it matches."""
    text = pattern.text
    if text is None:
        return pattern
    parts = tuple(Hole(part, part) if part[0] in "*?[" else part for part in re.split(r"(\*+|\?|\[[^\]]*\])", text) if part)
    return Word(parts, src=pattern.src)


def _under(left: Word, right: Word) -> Word:
    if right.starts("/") is True:
        return right
    return left + known("/") + right if left.parts else right
