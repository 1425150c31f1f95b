"""Python that has no end: processes out of processes, memory that only grows."""

import ast

from .names import Names


def forks(node: ast.AST, names: Names) -> bool:
    """A loop that forks in every round."""
    if not isinstance(node, ast.While | ast.For | ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return False
    called = {names.name(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}
    return not called.isdisjoint(("os.fork", "os.forkpty")) or (_is_endless(node) and not called.isdisjoint(_SPAWNS))


_SPAWNS = ("subprocess.Popen", "multiprocessing.Process", "os.spawnl", "os.spawnlp", "os.spawnv", "os.spawnvp", "os.posix_spawn")
_WAITS = ("wait", "communicate", "sleep", "join", "poll", "recv", "accept", "get", "input", "read", "readline")


def _is_endless(node: ast.AST) -> bool:
    """A loop that nothing in it ends or holds up."""
    if not isinstance(node, ast.While) or not isinstance(node.test, ast.Constant) or not node.test.value:
        return False
    within = list(ast.walk(node))
    called = {each.func.attr if isinstance(each.func, ast.Attribute) else "" for each in within if isinstance(each, ast.Call)}
    return called.isdisjoint(_WAITS) and not any(
        isinstance(each, ast.Break | ast.Return | ast.Raise | ast.Await) for each in within
    )


_MUCH = 1 << 35


def grows(node: ast.AST) -> bool:
    """Memory without end: a loop that keeps more in every round, a text repeated more often than any machine holds."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        sides = (node.left, node.right)
        texts = any(
            isinstance(side, ast.List) or (isinstance(side, ast.Constant) and isinstance(side.value, str | bytes))
            for side in sides
        )
        return texts and any(_number(side) >= _MUCH for side in sides)
    if not _is_endless(node):
        return False
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in ("append", "extend"):
            return True
        if (
            isinstance(each, ast.AugAssign)
            and isinstance(each.op, ast.Add | ast.Mult)
            and not isinstance(each.value, ast.Constant)
        ):
            return True
    return False


def _number(node: ast.expr) -> int:
    """What a literal product or power comes to, as far as it matters here."""
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.BinOp(left=ast.Constant(value=int(base)), op=ast.Pow(), right=ast.Constant(value=int(power))):
            return _MUCH if power > 64 and abs(base) > 1 else int(base ** max(power, 0))
        case ast.BinOp(op=ast.Mult()):
            return _number(node.left) * _number(node.right)
        case _:
            return 0
