"""What names and expressions stand for, as far as imports, plain assignments and literals say."""

import ast
import base64
import builtins

from toolgate.languages import PART, globbed, word
from toolgate.model.effect import Interpret
from toolgate.model.seen import Seen
from toolgate.model.word import Hole, Word, joined, known, unknown

_PATHS = (
    "os.path.expanduser",
    "pathlib.Path",
    "str",
    "os.fspath",
    "os.path.abspath",
    "os.path.realpath",
    "pathlib.PurePath",
    "os.path.join",
)
_TEMPORARY = ("tempfile.mkdtemp", "tempfile.mktemp", "tempfile.gettempdir", "tempfile.TemporaryDirectory")
DECODES = (
    *("base64.b64decode", "base64.standard_b64decode", "base64.urlsafe_b64decode", "base64.decodebytes", "base64.b32decode"),
    *("base64.b85decode", "bytes.fromhex", "binascii.unhexlify", "binascii.a2b_base64", "codecs.decode", "zlib.decompress"),
    *("gzip.decompress", "bz2.decompress", "lzma.decompress", "marshal.loads", "pickle.loads"),
)
"""What makes text, or code, out of bytes that nobody can read."""
_BUILT_IN = frozenset(dir(builtins))
_BY_NAME = ("get", "pop", "setdefault", "keys")
_READS = (".read", ".read_text", ".read_bytes", ".read().decode")


_IN_ORDER = ("sorted", "list", "reversed", "set", "tuple")
_EACH, _ALL = Word((Hole("*", "*"),)), Word((Hole("**", "*"),))


class Names:
    def __init__(self, code: Interpret, seen: Seen) -> None:
        self._code, self._seen = code, seen
        self._names: dict[str, str] = {}
        self._values: dict[str, Word] = {}
        self._stars: list[str] = []
        self.globs: dict[str, str] = {}
        """What tests have left of names, where the reader is now."""
        self._environments = {"os.environ", "os.environb"}

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
                self._stars += [module for alias in names if alias.name == "*"]
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if isinstance(value, ast.Attribute):
                    self._names[name] = self.name(value)
                elif (
                    isinstance(value, ast.Call)
                    and self.name(value.func) in ("__import__", "importlib.import_module")
                    and value.args
                ):
                    self._names[name] = self.value(value.args[0]).text or "?"
                elif isinstance(value, ast.Call) and (made := self.name(value)).startswith("boto3."):
                    self._names[name] = made
                else:
                    self._learn_value(name, self.value(value))
                if self.tells_environment(value):
                    self._environments.add(name)
            case ast.For(target=ast.Name(id=name), iter=over) | ast.comprehension(target=ast.Name(id=name), iter=over):
                self._learn_value(name, self._each(over))
            case (
                ast.For(target=ast.Tuple(elts=targets), iter=ast.Call() as over)
                | ast.comprehension(target=ast.Tuple(elts=targets), iter=ast.Call() as over)
            ) if over.args:
                self._learn_several([target.id for target in targets if isinstance(target, ast.Name)], over)
            case ast.withitem(context_expr=ast.Call(func=func) as made, optional_vars=ast.Name(id=name)):
                self._learn_value(name, self.value(made) if self.name(func) in _TEMPORARY else unknown(name))
            case _:
                pass

    def _learn_several(self, targets: list[str], over: ast.Call) -> None:
        """What a walk through a folder brings, and a loop that counts."""
        if self.name(over.func) in ("os.walk", "os.fwalk"):
            for n, name in enumerate(targets):
                self._learn_value(name, under(self.value(over.args[0]), _ALL) if n == 0 else _EACH)
        elif self.name(over.func) == "enumerate":
            self._learn_value(targets[-1], self._each(over.args[0]))

    def _each(self, node: ast.expr) -> Word:
        """One of what a loop goes through: files in a folder, members of a literal list."""
        if isinstance(node, ast.Call) and node.args and self.name(node.func) in _IN_ORDER:
            return self._each(node.args[0])
        if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1:
            return self.value(node.elts[0])
        if isinstance(node, ast.Call) and node.args and self.name(node.func) in ("glob.glob", "glob.iglob"):
            return globbed(self.value(node.args[0]))
        if isinstance(node, ast.Name) and self._values.get(node.id) == _EACH:
            return _EACH
        if isinstance(node, ast.Call) and node.args and self.name(node.func) == "os.scandir":
            return under(self.value(node.args[0]), _EACH)
        if isinstance(node, ast.Call) and self.name(node.func) == "os.listdir":
            return _EACH
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("iterdir", "glob", "rglob"):
            asked = globbed(self.value(node.args[0])) if node.args else _EACH
            deep = node.func.attr == "rglob" and asked.parts and asked != _EACH
            return under(self.value(node.func.value), (_ALL + known("/") + asked) if deep else asked)
        return unknown(ast.unparse(node)[:60])

    def _learn_value(self, name: str, value: Word) -> None:
        self._values[name] = value if name not in self._values else unknown(name)

    def name(self, node: ast.expr) -> str:
        """The dotted name of what is called, as far as it is plain."""
        match node:
            case ast.Name(id=name) if name in self._names or not self._stars or name in _BUILT_IN or name in self._values:
                return self._names.get(name, name)
            case ast.Name(id=name):  # `from os import *`: the last one that may bring it
                return f"{self._stars[-1]}.{name}"
            case ast.Attribute(value=value, attr=attribute):
                return f"{self.name(value)}.{attribute}"
            case ast.Call(func=func, args=[ast.Constant(value=str(module)), *_]) if self.name(func) in (
                "__import__",
                "importlib.import_module",
            ):
                return module if self.name(func).startswith("importlib") else module.partition(".")[0]
            case ast.Call(func=ast.Name(id="getattr"), args=[target, attribute, *_]):
                return f"{self.name(target)}.{self.value(attribute).text or '?'}"
            case ast.Call(func=func, args=[ast.Constant(value=str(service)), *_]) if self.name(func).startswith("boto3."):
                return f"{self.name(func)}({service})"
            case ast.Call(func=func):
                return f"{self.name(func)}()"
            case _:
                return "?"

    def tells_environment(self, *nodes: ast.expr) -> bool:
        """Do these hold all variables of the environment at once? One of them by its name is another matter."""
        inner = [each for node in nodes for each in ast.walk(node)]
        by_name = {
            id(each.value)
            for each in inner
            if isinstance(each, ast.Subscript) or (isinstance(each, ast.Attribute) and each.attr in _BY_NAME)
        }
        return any(
            isinstance(each, ast.Name | ast.Attribute) and id(each) not in by_name and self.name(each) in self._environments
            for each in inner
        )

    def value(self, node: ast.expr) -> Word:
        """The text of an expression, known or not."""
        match node:
            case ast.Constant(value=str(text)):
                return word(text)
            case ast.Constant(value=bytes(data)):
                return word(data.decode("utf-8", "replace"))
            case ast.Constant(value=constant):
                return known(str(constant))
            case ast.Name(id=name):
                return self._named(name)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
                return known(str(-number))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.value(left) + self.value(right)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return under(self.value(left), self.value(right))
            case ast.JoinedStr(values=parts):
                return joined([self.value(part.value if isinstance(part, ast.FormattedValue) else part) for part in parts], "")
            case ast.Call():
                return self._called_value(node)
            case ast.Subscript(value=value, slice=ast.Constant(value="HOME")) if self.name(value) == "os.environ":
                return known(self._seen.home)
            case ast.Subscript(value=value, slice=ast.Constant(value=int(index))) if self.name(value) == "sys.argv":
                own = self._code.file or self._code.via.endswith("<stdin")  # a script's name, or `-`, is the first of them
                arguments = self._code.args if own else (known("-c"), *self._code.args)
                return arguments[index] if 0 <= index < len(arguments) else unknown("sys.argv")
            case _:
                return known("python3") if self.name(node) == "sys.executable" else unknown(ast.unparse(node)[:60])

    def _named(self, name: str) -> Word:
        value = self._values.get(name)
        if value is None:
            return word(name) if PART in name else unknown(name)
        return _narrowed(value, self.globs[name]) if name in self.globs else value

    def _called_value(self, node: ast.Call) -> Word:
        name, args = self.name(node.func), node.args
        if name in _PATHS and args:
            value = self._under_each(self.value(args[0]), args[1:])
            return self._expanded(value) if name == "os.path.expanduser" else value
        if name == "tempfile.gettempdir":
            return known("/tmp")
        if name in _TEMPORARY:
            return Word((Hole("/tmp/*" if args or node.keywords else "/tmp/tmp*", f"{name}()"),))
        if name.endswith("Path.home"):
            return known(self._seen.home)
        if name in ("os.getcwd", "pathlib.Path.cwd"):
            return self._seen.cwd
        if name in ("os.environ.get", "os.getenv") and args:
            variable = self.value(args[0])
            return known(self._seen.home) if variable.text == "HOME" else unknown(f"${variable.shown}")
        if name.endswith(_READS) or name == "input":
            return unknown(ast.unparse(node)[:60], frozenset({self._seen.origin.command}))
        if name in DECODES and args:
            return self._decoded(name, self.value(args[0]))
        if isinstance(node.func, ast.Attribute):
            return self._method_value(node, node.func)
        return unknown(ast.unparse(node)[:60])

    def _decoded(self, name: str, text: Word) -> Word:
        src = text.src | {self._seen.origin.command}
        if text.text is not None and "b64" in name:
            try:
                return known(base64.b64decode(text.text).decode(), src)
            except ValueError:
                pass
        return unknown(f"{name}({text.shown[:30]})", src)

    def _method_value(self, node: ast.Call, function: ast.Attribute) -> Word:
        if function.attr == "decode":
            return self.value(function.value)
        if function.attr == "expanduser":
            return self._expanded(self.value(function.value))
        if function.attr in ("resolve", "absolute", "joinpath", "as_posix"):
            return self._under_each(self.value(function.value), node.args)
        return unknown(ast.unparse(node)[:60])

    def _under_each(self, value: Word, more: list[ast.expr]) -> Word:
        for each in more:
            value = under(value, self.value(each))
        return value

    def _expanded(self, value: Word) -> Word:
        return known(self._seen.home) + value.cut(1) if value.starts("~") is True else value


def under(left: Word, right: Word) -> Word:
    if right.starts("/") is True:
        return right
    return left + known("/") + right if left.parts else right


def _narrowed(value: Word, glob: str) -> Word:
    """What is left where the last part of a path is as the glob says."""
    last = value.parts[-1] if value.parts else ""
    if not isinstance(last, Hole) or last.like not in ("*", "**/*"):
        return value
    return Word(value.parts[:-1], value.splits, value.src) + globbed(known(glob))
