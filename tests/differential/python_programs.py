"""Generates Python programs around calls that are stubbed, with every form of call, of text and of data flow.

A program may branch on a value that is only known when it runs (`chance()`); whichever branch it takes, its calls must be among
those that are read.
"""

from __future__ import annotations

import random
from collections.abc import Callable

MARKERS = {
    "shutil.rmtree": "path",
    "os.remove": "path",
    "os.unlink": "path",
    "os.rmdir": "path",
    "os.system": "command",
    "subprocess.getoutput": "cmd",
}
"""The calls that are stubbed, each with the name of its first parameter."""
HEAD = """
import asyncio, atexit, builtins, concurrent.futures, contextlib, enum, functools, importlib, itertools, operator, random
import collections, copy, dataclasses, multiprocessing.pool, os, pathlib, shutil, subprocess, sys, threading, types, weakref
def chance(): return random.random() < 0.5
"""


class Programs:
    """Programs for a seed, by number. `calls`: the number of stubbed calls in each."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._number = 0

    def __iter__(self) -> Programs:
        return self

    def name(self) -> str:
        self._number += 1
        return f"v{self._number}"

    def __next__(self) -> str:
        lines = [self._block(self._random.randrange(3)) for _ in range(self._random.randrange(1, 4))]
        return HEAD + "\n".join(lines) + "\n"

    # ---- texts

    def marker(self) -> str:
        return f"/zz/m{self._random.randrange(10**6)}"

    def text(self, text: str, depth: int = 0) -> str:
        """Returns an expression that evaluates to this text."""
        chosen = self._random
        if depth > 2 or chosen.random() < 0.3:
            return repr(text)
        at = chosen.randrange(1, max(2, len(text)))
        left, right = text[:at], text[at:]
        inner = self.text
        v = self.name()
        forms: list[Callable[[], str]] = [
            lambda: f"({inner(left, depth + 1)} + {inner(right, depth + 1)})",
            lambda: f"f'{{{self._quote(left)}}}{right}'",
            lambda: f"f'{left}{{{self._quote(right)}!s}}'",
            lambda: f"''.join([{inner(left, depth + 1)}, {inner(right, depth + 1)}])",
            lambda: f"('%s%s' % ({inner(left, depth + 1)}, {inner(right, depth + 1)}))",
            lambda: f"('%(a)s%(b)s' % {{'a': {inner(left, depth + 1)}, 'b': {inner(right, depth + 1)}}})",
            lambda: f"'{{}}{{}}'.format({inner(left, depth + 1)}, {inner(right, depth + 1)})",
            lambda: f"'{{0}}{{b}}'.format({inner(left, depth + 1)}, b={inner(right, depth + 1)})",
            lambda: f"[{inner(text, depth + 1)}, 'no'][0]",
            lambda: f"['no', {inner(text, depth + 1)}][-1]",
            lambda: f"('no', {inner(text, depth + 1)}, 'no')[1:2][0]",
            lambda: f"{{'k': {inner(text, depth + 1)}}}['k']",
            lambda: f"dict(k={inner(text, depth + 1)}).get('k')",
            lambda: f"({inner(text, depth + 1)} if len('ab') == 2 else 'no')",
            lambda: f"({inner(text, depth + 1)} or 'no')",
            lambda: f"('yes' and {inner(text, depth + 1)})",
            lambda: f"('x' + {inner(text, depth + 1)})[1:]",
            lambda: f"{inner(text.replace('m', 'Q'), depth + 1)}.replace('Q', 'm')",
            lambda: f"{inner(' ' + text + ' ', depth + 1)}.strip()",
            lambda: f"str({inner(text, depth + 1)})",
            lambda: f"{inner(text + '|no', depth + 1)}.split('|')[0]",
            lambda: f"{inner(text + '|no', depth + 1)}.partition('|')[0]",
            lambda: f"{inner('pre' + text, depth + 1)}.removeprefix('pre')",
            lambda: f"(lambda {v}: {v})({inner(text, depth + 1)})",
            lambda: f"next(iter([{inner(text, depth + 1)}]))",
            lambda: f"max([{inner(text, depth + 1)}])",
            lambda: f"''.join(chr({v}) for {v} in {[ord(char) for char in text]})",
            lambda: f"bytes({list(text.encode())}).decode()",
            lambda: f"{text.encode()!r}.decode()",
            lambda: (
                f"os.path.join({inner('/zz', depth + 1)}, {inner(text[4:], depth + 1)})"
                if text.startswith("/zz/")
                else repr(text)
            ),
            lambda: (
                f"str(pathlib.Path({inner('/zz', depth + 1)}) / {inner(text[4:], depth + 1)})"
                if text.startswith("/zz/")
                else repr(text)
            ),
            lambda: f"[{v} for {v} in ({inner(text, depth + 1)},) if {v}][0]",
            lambda: f"list({{{inner(text, depth + 1)}: 1}})[0]",
            lambda: f"getattr(types.SimpleNamespace(a={inner(text, depth + 1)}), 'a')",
            lambda: f"'''{text}'''",
            lambda: f"r'{left}' '{right}'",
            lambda: f"copy.deepcopy([{inner(text, depth + 1)}])[0]",
        ]
        return chosen.choice(forms)()

    def _quote(self, text: str) -> str:
        return '"' + text + '"'

    def call(self) -> tuple[str, str, str]:
        """Returns a stubbed function, the name of its parameter, and an expression for its argument."""
        function = self._random.choice(list(MARKERS))
        text = self.marker()
        argument = text if MARKERS[function] == "path" else f"echo {text}"
        return function, MARKERS[function], self.text(argument)

    def function(self, name: str) -> str:
        """Returns an expression that evaluates to this function."""
        module, _, attribute = name.partition(".")
        forms = [
            name,
            name,
            name,
            f"getattr({module}, {self.text(attribute, 1)})",
            f"{module}.__dict__[{self.text(attribute, 1)}]",
            f"vars({module})[{attribute!r}]",
            f"__import__({module!r}).{attribute}",
            f"importlib.import_module({module!r}).{attribute}",
            f"sys.modules[{module!r}].{attribute}",
            f"globals()[{module!r}].{attribute}",
            f"operator.attrgetter({attribute!r})({module})",
            f"{name}.__call__",
            f"{{'a': {name}}}['a']",
            f"[{name}][0]",
            f"({name} if len('a') else print)",
            f"(lambda *a, **k: {name}(*a, **k))",
            f"functools.partial({name})",
        ]
        return self._random.choice(forms)

    # ---- statements

    def _block(self, depth: int) -> str:
        body = self._leaf() if depth == 0 else self._block(depth - 1)
        return self._wrap(body) if depth and self._random.random() < 0.9 else body

    def _wrap(self, body: str) -> str:
        inside = body.replace("\n", "\n    ")
        deeper = inside.replace("\n", "\n    ")
        x, y = self.name(), self.name()
        return self._random.choice(
            (
                f"if chance():\n    {inside}",
                f"if chance():\n    pass\nelif chance():\n    {inside}\nelse:\n    pass",
                f"if not chance():\n    {x} = 1\nelse:\n    {inside}",
                f"for {x} in range({self._random.randrange(1, 3)}):\n    {inside}",
                f"for {x} in range(3):\n    if {x} != 1: continue\n    {inside}\n    break\nelse:\n    pass",
                f"{x} = 0\nwhile {x} < 2:\n    {x} += 1\n    {inside}",
                f"while True:\n    {inside}\n    break",
                f"while chance():\n    {inside}",
                f"try:\n    {inside}\nfinally:\n    pass",
                f"try:\n    raise ValueError({x!r})\nexcept ValueError as {x}:\n    {inside}",
                f"try:\n    if chance(): raise KeyError\nexcept KeyError:\n    pass\nelse:\n    pass\n{body}",
                f"try:\n    pass\nexcept* ValueError:\n    pass\n{body}",
                f"with contextlib.suppress(KeyError):\n    {inside}",
                f"def {x}():\n    {inside}\n{x}()",
                f"async def {x}():\n    {inside}\nasyncio.run({x}())",
                f"class {x}:\n    {inside}",
                f"class {x}:\n    def go(self):\n        {deeper}\n{x}().go()",
                f"class {x}:\n    def __enter__(self): return self\n    def __exit__(self, *e):\n        {deeper}\nwith {x}(): pass",
                f"class {x}:\n    def __init__(self):\n        {deeper}\nclass {y}({x}): pass\n{y}()",
                f"class {x}:\n    @staticmethod\n    def go():\n        {deeper}\n{x}.go()",
                f"class {x}:\n    @classmethod\n    def go(cls):\n        {deeper}\n{x}.go()",
                f"class {x}:\n    @property\n    def go(self):\n        {deeper}\n{x}().go",
                f"def {x}():\n    {inside}\n    yield 1\nlist({x}())",
                f"def {x}(n):\n    if n == 0:\n        {deeper}\n        return\n    {x}(n - 1)\n{x}({self._random.randrange(4)})",
                f"def {x}():\n    if chance(): return\n    {inside}\n{x}()",
                f"match {self._random.randrange(3)}:\n    case 0 | 1 | 2:\n        {deeper}\n    case _:\n        pass",
                f"match ('a', 1):\n    case ('a', {x}) if {x}:\n        {deeper}",
                f"{x} = []\ndef {y}():\n    {inside}\n{x}.append({y})\nfor {y} in {x}: {y}()",
                f"def {x}():\n    {inside}\nthreading.Thread(target={x}).run()",
                f"def {x}():\n    {inside}\natexit.register({x})",
                f"def {x}(f):\n    def {y}(*a, **k):\n        return f(*a, **k)\n    return {y}\n@{x}\ndef {y}():\n    {inside}\n{y}()",
                f"exec({body!r})",
                f"exec(compile({body!r}, 'x', 'exec'))",
            )
        )

    def _leaf(self) -> str:
        f, parameter, e = self.call()
        g = self.function(f)
        x, y, z = self.name(), self.name(), self.name()
        at = self._random.choice
        return at(
            (
                f"{g}({e})",
                f"{g}({parameter}={e})",
                f"{g}(*[{e}])",
                f"{g}(**{{{parameter!r}: {e}}})",
                f"{x} = {g}\n{x}({e})",
                f"{x} = {y} = {g}\n{y}({e})",
                f"{x}, {y} = {g}, {e}\n{x}({y})",
                f"{x}, *{y} = {e}, 1, 2\n{g}({x})",
                f"*{x}, {y} = 1, 2, {e}\n{g}({y})",
                f"[{x}, {y}] = [{g}, {e}]\n{x}({y})",
                f"{x} = 'no'\nif chance():\n    {x} = {e}\n    {g}({x})",
                f"{x} = lambda {y}: lambda: {g}({y})\n{z} = {x}({e}) if chance() else {x}('/zz/no')\n{z}()",
                f"{x} = ['no', {e}]\ndel {x}[0]\n{g}({x}[0])",
                f"{x} = ['no', 1, {e}]\ndel {x}[:2]\n{g}({x}[0])",
                f"{x} = ['no', {e}]\n{x}.remove('no')\n{g}({x}[0])",
                f"{x} = {{'k': 1}}\ndel {x}['k']\nif 'k' not in {x}: {g}({e})",
                f"{x} = {{'k': 1}}\n{x}.{at(('pop', '__delitem__'))}('k')\nif not {x}: {g}({e})",
                f"{x} = {{'k': 1}}\n{x}.{at(('popitem', 'clear'))}()\nif 'k' not in {x}: {g}({e})",
                f"{x} = {{'k'}}\n{x}.{at(('discard', 'remove'))}('k')\nif 'k' not in {x}: {g}({e})",
                f"{x} = 'no'\nif chance():\n    {x} = {e}\n{g}({x})",
                f"{x} = {e}\nfor {y} in range(2):\n    {g}({x})\n    {x} = 'no'",
                f"{x} = 'no'\nfor {y} in range(3):\n    {g}({x})\n    {x} = {e}",
                f"{x} = 'no'\nwhile chance():\n    {g}({x})\n    {x} = {e}",
                f"{x} = None\ndef {y}():\n    global {x}\n    {x} = {e}\n{y}()\nif {x} is not None: {g}({x})",
                f"def {x}():\n    {y} = 'no'\n    def {z}():\n        nonlocal {y}\n        {y} = {e}\n    {z}()\n    {g}({y})\n{x}()",
                f"def {x}(p, q=1, *r, **s):\n    return p({parameter}=s['w'])\n{x}({g}, w={e})",
                f"def {x}(p, /, *, q={e}):\n    {g}(q)\n{x}(1)",
                f"def {x}(*a, **k):\n    return {g}(*a, **k)\n{x}({e})",
                f"class {x}:\n    def __init__(self, w): self.w = w\n    def go(self): {g}(self.w)\n{x}({e}).go()",
                f"class {x}:\n    w = {e}\n    def go(self): {g}(self.w)\n{x}().go()",
                f"class {x}:\n    def __init__(self): self.f = {g}\n{x}().f({e})",
                f"class {x}(dict):\n    def __call__(self, w): {g}(w)\n{x}()({e})",
                f"class {x}:\n    def __getitem__(self, k): return {e}\n{g}({x}()[1])",
                f"class {x}:\n    def __getattr__(self, k): return {e}\n{g}({x}().anything)",
                f"class {x}:\n    def __iter__(self):\n        yield {e}\nfor {y} in {x}(): {g}({y})",
                f"class {x}(enum.Enum):\n    A = {e}\n{g}({x}.A.value)",
                f"@dataclasses.dataclass\nclass {x}:\n    w: str\n    n: int = 0\n{g}({x}({e}).w)",
                f"{x} = collections.namedtuple({x!r}, 'w')\n{g}({x}({e}).w)",
                f"class {x}:\n    def go(self, w): {g}(w)\nclass {y}({x}):\n    def go(self, w): super().go(w)\n{y}().go({e})",
                f"list(map({g}, [{e}]))",
                f"list(filter({g}, [{e}]))",
                f"list(itertools.starmap({g}, [({e},)]))",
                f"list(itertools.chain([{g}({e})]))",
                f"[{g}({x}) for {x} in ({e},) if {x}]",
                f"{{{g}({x}) for {x} in [{e}]}}",
                f"{{{x}: {g}({x}) for {x} in [{e}]}}",
                f"any({g}({x}) for {x} in [{e}])",
                f"[{g}({y}) for {x} in [[{e}]] for {y} in {x}]",
                f"threading.Thread(target={g}, args=({e},)).run()",
                f"threading.Timer(0, {g}, [{e}]).run()",
                f"functools.partial({g}, {e})()",
                f"functools.partial({g}, {parameter}={e})()",
                f"functools.reduce(lambda a, b: {g}(b), [{e}], None)",
                f"with concurrent.futures.ThreadPoolExecutor() as {x}: {x}.submit({g}, {e}).result()",
                f"with concurrent.futures.ThreadPoolExecutor() as {x}: list({x}.map({g}, [{e}]))",
                f"with multiprocessing.pool.ThreadPool(1) as {x}: {x}.map({g}, [{e}])",
                f"with multiprocessing.pool.ThreadPool(1) as {x}: {x}.apply_async({g}, ({e},)).get()",
                f"async def {x}(): await asyncio.to_thread({g}, {e})\nasyncio.run({x}())",
                f"async def {x}():\n    async for {y} in {z}(): {g}({y})\nasync def {z}():\n    yield {e}\nasyncio.run({x}())",
                f"async def {x}(): return {e}\nasync def {y}(): {g}(await {x}())\nasyncio.run({y}())",
                f"for {x} in [{e}]:\n    try:\n        {g}({x})\n    finally:\n        pass",
                f"try:\n    {x} = {e}\n    raise OSError\nexcept (OSError, KeyError):\n    {g}({x})",
                f"def {x}():\n    try:\n        return {e}\n    finally:\n        pass\n{g}({x}())",
                f"def {x}():\n    for {y} in ('no', {e}):\n        if {y} != 'no': return {y}\n{g}({x}())",
                f"def {x}():\n    yield 'no'\n    yield {e}\nfor {y} in {x}(): {g}({y})",
                f"def {x}():\n    yield from [{e}]\n{g}(next({x}()))",
                f"def {x}(n):\n    return {e} if n == 0 else {x}(n - 1)\n{g}({x}(3))",
                f"def {x}(d):\n    for {y} in d:\n        if isinstance({y}, list): {x}({y})\n        else: {g}({y})\n{x}([['no', [{e}]]])",
                f"{x} = []\n{x}.append({e})\nwhile {x}:\n    {g}({x}.pop())",
                f"{x} = ['no']\n{x} += [{e}]\nfor {y} in {x}: {g}({y})",
                f"{x} = ['no']\n{x}[0] = {e}\n{g}({x}[0])",
                f"{x} = collections.deque(['no', {e}])\nwhile {x}: {g}({x}.popleft())",
                f"{x} = ['no', {e}]\n{x}.sort()\nfor {y} in {x}: {g}({y})",
                f"{x} = {{}}\n{x}['w'] = {e}\n{x}.setdefault('f', {g})\n{x}['f']({x}['w'])",
                f"{x} = collections.defaultdict(list)\n{x}['a'].append({e})\nfor {y} in {x}['a']: {g}({y})",
                f"for {x}, {y} in {{'a': {e}}}.items(): {g}({y})",
                f"for {x}, {y} in enumerate([{e}]): {g}({y})",
                f"for {x}, {y} in zip([{g}], [{e}]): {x}({y})",
                f"{x} = {{**{{'a': {e}}}}}\n{g}({x}['a'])",
                f"{x} = types.SimpleNamespace()\n{x}.a = {e}\n{g}({x}.a)",
                f"sorted([{e}], key=lambda {x}: {g}({x}) or 0)",
                f"(lambda {x}: {x}({e}))({g})",
                f"(lambda *{x}: {g}({x}[0]))({e})",
                f"if ({x} := {e}): {g}({x})",
                f"{g}({e}) if chance() else None",
                f"chance() and {g}({e})",
                f"chance() or {g}({e})",
                f"assert not {g}({e})",
                f"def {x}(f): return f\n@{x}\ndef {y}(w={e}): {g}(w)\n{y}()",
                f"def {x}({y}):\n    def {z}(*a): return {y}(*a)\n    return {z}\n{x}({g})({e})",
                f"def {x}(f):\n    @functools.wraps(f)\n    def {y}(*a, **k): return f(*a, **k)\n    return {y}\n{x}({g})({e})",
                f"@contextlib.contextmanager\ndef {x}():\n    yield {e}\nwith {x}() as {y}: {g}({y})",
                f"weakref.finalize(threading.Thread(), {g}, {e})",
                f"operator.methodcaller({f.partition('.')[2]!r}, {e})({f.partition('.')[0]})",
                f"from {f.partition('.')[0]} import {f.partition('.')[2]} as {x}\n{x}({e})",
                f"import {f.partition('.')[0]} as {x}\n{x}.{f.partition('.')[2]}({e})",
                f"exec({f'{f}({e})'!r})",
                f"eval({f'{f}({e})'!r})",
                f"eval(compile({f'{f}({e})'!r}, 'x', 'eval'))",
                f"match {e}:\n    case {x}: {g}({x})",
                f"match [{e}, 2]:\n    case [{x}, *_]: {g}({x})",
                f"match {{'k': {e}}}:\n    case {{'k': {x}}}: {g}({x})",
                f"def {x}(w: 'str' = 'no', *a: int) -> None: {g}(w)\n{x}({e})",
                f"{x} = {e}\n{y} = ...\nif {y} is not False: {g}({x})\ndel {x}",
                f"{x} = {e}\n{g}(f'{{{x}:s}}')",
                f"from types import *\n{g}({e})  # a comment",
                f"class {x}:\n    def __init__(self, w): self.w = w\nmatch {x}({e}):\n    case {x}(w={y}): {g}({y})",
                f"{x}: int | str = {e}\n{g}(\\\n    {x})",
                f"{g}(*({e},))",
                f"{x} = 3 - 2\n{g}(['no', {e}][{x}])",
                f"{x} = not True\n{g}('no' if {x} else {e})",
                f"{x} = -1\n{g}(['no', {e}][{x}])",
                f"if 1 < 2 <= 3 and 'a' in 'abc' and None is None: {g}({e})",
                f"{x} = {{1, 2}}\nif {x} & {{1}}: {g}({e})",
            )
        )
