"""What names stand for where a call is: the members of a list that a loop goes through (`for d in ["build", "dist"]`), what was
assigned just before, what a test leaves (`if name.endswith(".pyc")`).

A call is read once for each: with the expression in the place of the name, or with a glob for what the name holds.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TypeVar

Reading = ast.expr | str
"""What a name stands for in one reading: an expression, or a glob for the last part of what it holds."""
_Node = TypeVar("_Node", bound=ast.expr)
_Each = TypeVar("_Each")
Scope = Mapping[str, tuple[Reading, ...]]

_MOST = 64
"""More readings than that tell nothing that an unknown value does not."""
_LONGEST = 40
"""An expression of more nodes than that is not put in a name's place."""
_IN_PLACE = frozenset(
    ("append", "extend", "insert", "add", "update", "pop", "remove", "clear", "reverse", "sort", "setdefault", "appendleft")
)


def scopes(tree: ast.Module) -> dict[int, Scope]:
    """For each node (by `id`) in a loop over a literal list, or behind a test of a name, what its names stand for there."""
    found: dict[int, Scope] = {}
    _Walk(tree, found).block(tree.body, {})
    return found


def readings(node: ast.Call, scope: Scope) -> Iterator[tuple[ast.Call, dict[str, str]]]:
    """The call with each combination of expressions in the place of their names, and the globs that hold in it."""
    for spelled in _spelled(node, scope):
        globs = {name: [each for each in scope[name] if isinstance(each, str)] for name in _names_in(spelled) if name in scope}
        used = {name: each for name, each in globs.items() if each}
        for combination in _combined(list(used.values())):
            yield spelled, dict(zip(used, combination, strict=False))


def _spelled(node: _Node, scope: Scope) -> list[_Node]:
    found = {name: [each for each in scope[name] if isinstance(each, ast.expr)] for name in _names_in(node) if name in scope}
    used = {name: each for name, each in found.items() if each}
    return [
        _Spelled(dict(zip(used, each, strict=False))).visit(_copied(node)) if each else node
        for each in _combined(list(used.values()))
    ]


def _combined(lists: Sequence[Sequence[_Each]]) -> list[tuple[_Each, ...]]:
    combinations = list(islice(product(*lists), _MOST + 1))
    return combinations if len(combinations) <= _MOST else [()]


def _names_in(node: ast.AST) -> list[str]:
    return list(dict.fromkeys(each.id for each in ast.walk(node) if isinstance(each, ast.Name)))


def _copied(node: _Node) -> _Node:
    from copy import deepcopy

    return deepcopy(node)


class _Spelled(ast.NodeTransformer):
    def __init__(self, expressions: Mapping[str, ast.expr]) -> None:
        self._expressions = expressions

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._expressions.get(node.id, node)


def _changed_in_place(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Names of what gets members after it was made."""
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _IN_PLACE:
                yield name
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                yield name
            case _:
                pass


def _stored_in(statement: ast.stmt) -> set[str]:
    nodes = list(ast.walk(statement))
    names = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    imported = (alias for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names)
    return names | {(alias.asname or alias.name).partition(".")[0] for alias in imported}


class _Walk:
    def __init__(self, tree: ast.Module, found: dict[int, Scope]) -> None:
        self._found = found
        nodes = list(ast.walk(tree))
        self._elsewhere = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
        self._elsewhere |= {node.arg for node in nodes if isinstance(node, ast.arg)} | set(_changed_in_place(nodes))
        loops = {id(node.target) for node in nodes if isinstance(node, ast.For | ast.comprehension)}
        stored = [node for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        self._assigned = {node.id for node in stored if id(node) not in loops} | self._elsewhere

    def block(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """One after the other; what is assigned on the way holds until it is assigned again."""
        for statement in statements:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in self._elsewhere:
                    self.node(statement, scope)
                    short = name not in _names_in(value) and sum(1 for _ in ast.walk(value)) <= _LONGEST
                    scope = {**scope, name: tuple(_spelled(value, scope)) if short else ()}
                case ast.Assign(targets=[ast.Tuple(elts=[*names])], value=ast.Tuple(elts=[*values])) if len(names) == len(values):
                    self.node(statement, scope)
                    scope = {**scope, **dict.fromkeys(_stored_in(statement), ()), **self._unpacked(names, values)}
                case _:
                    scope = {name: each for name, each in scope.items() if name not in _stored_in(statement)}
                    self.node(statement, scope)
                    scope = {**scope, **self._after(statement)}

    def _unpacked(self, names: Sequence[ast.expr], values: Sequence[ast.expr]) -> Scope:
        """`old, new = "a", "b"`: literals alone, for all are looked at before any is assigned."""
        pairs = [(name.id, value) for name, value in zip(names, values, strict=True) if isinstance(name, ast.Name)]
        return {name: (value,) for name, value in pairs if name not in self._elsewhere and isinstance(value, ast.Constant)}

    def _after(self, statement: ast.stmt) -> Scope:
        """`if not TEST: continue` leaves what the test says to the rest."""
        match statement:
            case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=test), body=body, orelse=[]) if isinstance(
                body[-1], ast.Continue | ast.Return | ast.Break
            ):
                return self._left_by(test)
            case _:
                return {}

    def node(self, node: ast.AST, scope: Scope) -> None:
        if scope and isinstance(node, ast.Call | ast.Assign):
            self._found[id(node)] = scope
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef():
                self._children(node, {})  # it runs another time
            case ast.For(target=target, iter=over, body=body, orelse=orelse):
                self.node(over, scope)
                self.block(body, {**scope, **self._members(target, over, scope)})
                self.block(orelse, scope)
            case ast.If(test=test, body=body, orelse=orelse):
                self.node(test, scope)
                self.block(body, {**scope, **self._left_by(test)})
                self.block(orelse, scope)
            case ast.ListComp(elt=element, generators=generators) | ast.SetComp(elt=element, generators=generators):
                self._comprehended(element, generators, scope)
            case ast.GeneratorExp(elt=element, generators=generators):
                self._comprehended(element, generators, scope)
            case _:
                self._children(node, scope)

    def _children(self, node: ast.AST, scope: Scope) -> None:
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self.block(value, scope)
                continue
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    self.node(each, scope)

    def _comprehended(self, element: ast.expr, generators: Sequence[ast.comprehension], scope: Scope) -> None:
        for generator in generators:
            self.node(generator.iter, scope)
            scope = {**scope, **self._members(generator.target, generator.iter, scope)}
            for test in generator.ifs:
                self.node(test, scope)
                scope = {**scope, **self._left_by(test)}
        self.node(element, scope)

    def _members(self, target: ast.expr, over: ast.expr, scope: Scope) -> Scope:
        """An own variable hides one of the same name outside."""
        if not isinstance(target, ast.Name):
            return dict.fromkeys(_names_in(target), ())
        lists = scope.get(over.id, ()) if isinstance(over, ast.Name) else (over,)
        elements = lists[0].elts if len(lists) == 1 and isinstance(lists[0], ast.List | ast.Tuple | ast.Set) else []
        plain = target.id not in self._assigned and not any(isinstance(each, ast.Starred) for each in elements)
        return {target.id: tuple(elements) if plain else ()}

    def _left_by(self, test: ast.expr) -> Scope:
        """What a test that was passed says of a name."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return {name: globs for each in test.values for name, globs in self._left_by(each).items()}
        name, globs = _asked(test)
        return {name: globs} if globs and name not in self._assigned else {}


def _asked(test: ast.expr) -> tuple[str, tuple[str, ...]]:
    match test:
        case ast.Call(func=ast.Attribute(value=value, attr="endswith"), args=[text]):
            return _of(value), tuple(f"*{each}" for each in _texts(text))
        case ast.Call(func=ast.Attribute(value=value, attr="startswith"), args=[text]):
            return _of(value), tuple(f"{each}*" for each in _texts(text))
        case ast.Call(func=ast.Attribute(attr="fnmatch" | "fnmatchcase"), args=[value, text]):
            return _of(value), _texts(text)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.In()], comparators=[text]) if _texts(text):
            before = "*" if _is_suffix(left) else ""
            return _of(left), tuple(before + each for each in _texts(text))
        case ast.Compare(left=ast.Constant(value=str(text)), ops=[ast.In()], comparators=[value]):
            return _of(value), (f"*{text}*",)
        case _:
            return "", ()


def _is_suffix(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="suffix"):
            return True
        case ast.Subscript(value=ast.Call(func=ast.Attribute(attr="splitext")), slice=ast.Constant(value=1 | -1)):
            return True
        case _:
            return False


def _of(node: ast.expr) -> str:
    """The name whose value, or whose last part, this is."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr="name" | "suffix"):
            return name
        case ast.Subscript(value=ast.Call(args=[ast.Name(id=name)])) if _is_suffix(node):
            return name
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)]):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="lower"), args=[]):
            return name
        case _:
            return ""


def _texts(node: ast.expr) -> tuple[str, ...]:
    elements = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    texts = [each.value for each in elements if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return tuple(texts) if len(texts) == len(elements) else ()
