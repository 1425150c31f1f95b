"""Generates Python projects of several modules around calls that are stubbed, and commands that start them.

Calls go through modules: imported by every form of `import`, relative or absolute, at the top or in a function, rebound,
collected in tables, run with `-m`, by path or as text.
"""

from __future__ import annotations

from differential.projects import Project
from differential.python_programs import HEAD, Programs


class Projects(Programs):
    """Projects for a seed, by number."""

    def project(self) -> Project:
        files = {
            "pkg/__init__.py": self._random.choice(
                ("", "from .first import remove\n", "from . import first\n__all__ = ['first']\n")
            ),
            "pkg/first.py": self._module(),
            "pkg/second.py": self._second(),
            "side.py": self._module(),
        }
        main, path = "\n".join((HEAD, *(self._use() for _ in range(3)), "")), self._random.choice(("main.py", "tools/run.py"))
        if "import *" not in main and self._random.random() < 0.4:
            main = f"{HEAD}def main():\n{self._indent(main)}\nif __name__ == '__main__':\n    main()\n"
        if self._random.random() < 0.2:
            path = "pkg/__main__.py"
        files[path] = main
        return Project(self._command(path), files)

    def _command(self, path: str) -> str:
        if path == "pkg/__main__.py":
            return self._random.choice(
                ("python3 -m pkg", 'python3 -c \'import runpy; runpy.run_module("pkg", run_name="__main__")\'')
            )
        forms = [
            f"PYTHONPATH=. python3 {path}",
            f"PYTHONPATH=$PWD python3 {path} a",
            f"export PYTHONPATH=.; python3 ./{path}",
            f"PYTHONPATH=. python3 - < {path}",
        ]
        if path == "main.py":
            forms += [
                f"python3 {path}",
                f"python3 ./{path} a b",
                "python3 -m main",
                f"cat {path} | python3",
                f"python3 -c \"import runpy; runpy.run_path('{path}', run_name='__main__')\"",
                f"python3 -c \"exec(open('{path}').read())\"",
            ]
        return self._random.choice(forms)

    def _module(self) -> str:
        """Returns a module with functions, a class and tables that delete what they are given."""
        e, x = self.text(self.marker()), self.name()
        at_import = self._random.choice(("", f"os.remove({e})\n", f"if chance():\n    os.unlink({e})\n"))
        body = f"""
PATH = {self.text(self.marker())}
def remove(w): os.remove(w)
def remove_twice(w, then=None):
    remove(w)
    (then or os.unlink)(w)
def remove_own(): {self._random.choice(("os.remove(PATH)", "remove(PATH)", "globals()['remove'](PATH)"))}
def remove_later(): return lambda w: os.rmdir(w)
class Remover:
    path = PATH
    def __init__(self, w=None): self.w = w
    def go(self): os.remove(self.w or self.path)
    @classmethod
    def of(cls, w): return cls(w)
    @staticmethod
    def now(w): shutil.rmtree(w)
TABLE = {{'remove': remove, 'own': remove_own, 'tree': shutil.rmtree}}
{x} = remove
__all__ = ['remove', 'remove_own', 'Remover', 'TABLE', 'PATH']
def __getattr__(name):
    if name == 'lazy': return os.rmdir
    raise AttributeError(name)
"""
        return HEAD + at_import + body

    def _second(self) -> str:
        """Returns a module that passes on what another one has."""
        return HEAD + self._random.choice(
            (
                "from .first import *\nfrom .first import remove_twice\n",
                "from . import first\nremove, remove_own = first.remove, first.remove_own\n"
                "Remover, TABLE = first.Remover, first.TABLE\n",
                "from pkg.first import remove as _remove, remove_own, Remover, TABLE\ndef remove(w): _remove(w)\n",
                "import pkg.first as one\nremove = one.remove\nremove_own = one.remove_own\nclass Remover(one.Remover): pass\n"
                "TABLE = dict(one.TABLE)\n",
                "def remove(w):\n    from .first import remove\n    remove(w)\nfrom .first import remove_own, Remover, TABLE\n",
            )
        )

    def _use(self) -> str:
        """Returns an import and a call."""
        x, y, e = self.name(), self.name(), self.text(self.marker())
        module = self._random.choice(("pkg.first", "pkg.second", "side"))
        parent, _, leaf = module.rpartition(".")
        imported = self._random.choice(
            (
                f"import {module} as {x}",
                f"from {parent} import {leaf} as {x}" if parent else f"import {leaf} as {x}",
                f"import {module}\n{x} = {module}",
                f"import importlib\n{x} = importlib.import_module('{module}')",
                f"{x} = __import__('{module}', fromlist=['*'])",
                f"import sys, {module}\n{x} = sys.modules['{module}']",
                f"try:\n    import nosuch_{x} as {x}\nexcept ImportError:\n    import {module} as {x}",
            )
        )
        uses = (
            f"{imported}\n{x}.remove({e})",
            f"{imported}\n{x}.remove_own()",
            f"{imported}\n{x}.Remover({e}).go()",
            f"{imported}\n{x}.Remover().go()",
            f"{imported}\n{x}.Remover.of({e}).go()",
            f"{imported}\n{x}.Remover.now({e})",
            f"{imported}\n{x}.TABLE['remove']({e})",
            f"{imported}\n{x}.TABLE['tree']({e})",
            f"{imported}\nfor {y} in {x}.TABLE.values():\n    if {y} is {x}.TABLE['own']: {y}()",
            f"{imported}\ngetattr({x}, 'remove')({e})",
            f"{imported}\nvars({x})['remove']({e})",
            f"{imported}\n{x}.remove_own.__call__()",
            f"{imported}\nclass {y}({x}.Remover):\n    path = {e}\n{y}().go()",
            f"{imported}\nwith_{y} = {x}.remove\n(lambda f: f({e}))(with_{y})",
            f"{imported}\nlist(map({x}.remove, [{e}]))",
            f"from {module} import remove as {x}\n{x}({e})",
            f"from {module} import remove as {x}, remove_own as {y}\n{y}() if chance() else {x}({e})",
            f"from {module} import Remover as {x}\n{x}({e}).go()",
            f"from {module} import *\nremove({e})",
            f"from {module} import *\nTABLE['own']()",
            f"from pkg.first import remove_twice as {x}\n{x}({e}, then=os.rmdir)",
            f"from pkg.first import remove_later as {x}\n{x}()({e})",
            f"from pkg.first import lazy as {x}\n{x}({e})",
            f"import pkg.first\npkg.first.lazy({e})",
            f"import pkg.first as {x}\n{x}.PATH = {e}\n{x}.remove_own()",
            f"import side\nside.remove = os.rmdir\nside.remove({e})",
            f"exec(open('side.py').read(), {{'__name__': {x!r}}})"
            if self._random.random() < 0.5
            else f"import side\nside.remove({e})",
        )
        return self._random.choice(uses)

    def _indent(self, text: str) -> str:
        return "\n".join(f"    {line}" if line else line for line in text.split("\n"))
