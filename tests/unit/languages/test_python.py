"""Tests the limits of reading Python: modules, arguments, notebooks, encodings, broken text, bounds, rows."""

import ast
import sys
import time
from pathlib import Path

import pytest

from differential.python_execution import effects_of, reading_of
from toolgate.languages.evaluation.table_rows import split_rows
from toolgate.languages.python import grammar
from toolgate.languages.python.library import python_library
from toolgate.languages.python.signatures import SIGNATURES
from toolgate.languages.python.tables import ROWS
from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Delete, Effects, Opaque, PrintedOutput, Run
from toolgate.model.event import Caller, Scene
from toolgate.understand import understand


def effects(command: str, folder: Path) -> Effects:
    return understand(RunShell(command), Scene(Caller("test"), str(folder), str(folder), "/home/u", {}, "u"), MachineWorld())


def list_deleted(command: str, folder: Path) -> list[str | None]:
    return [effect.place.path for effect in effects(command, folder).all if isinstance(effect, Delete)]


def heredoc(program: str) -> str:
    return f"python3 - <<'EOF'\n{program}\nEOF"


# ---- modules


@pytest.mark.parametrize(
    ("module", "program"),
    [
        ("helper.py", "import helper\nhelper.clean('/etc/x')"),
        ("helper.py", "from helper import clean\nclean('/etc/x')"),
        ("helper.py", "from helper import *\nclean('/etc/x')"),
        ("tools/helper.py", "import tools.helper\ntools.helper.clean('/etc/x')"),
        ("tools/helper.py", "from tools import helper as h\nh.clean('/etc/x')"),
        ("helper/__init__.py", "__import__('helper').clean('/etc/x')"),
    ],
)
def test_a_module_beside_the_code_is_read(module: str, program: str, tmp_path: Path) -> None:
    file = tmp_path / module
    file.parent.mkdir(exist_ok=True)
    file.write_text("import shutil\ndef clean(path): shutil.rmtree(path)\n")
    (tmp_path / "tools").mkdir(exist_ok=True)
    assert list_deleted(heredoc(program), tmp_path) == ["/etc/x"]
    (tmp_path / "main.py").write_text(program)
    assert list_deleted("python3 main.py", tmp_path) == ["/etc/x"]


def test_a_relative_import_begins_at_the_file(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "tasks.py").write_text("import os\ndef clean(): os.remove('/etc/x')\n")
    (tmp_path / "app" / "main.py").write_text("from .tasks import clean\nclean()\n")
    assert list_deleted("python3 -m app.main", tmp_path) == ["/etc/x"]


@pytest.mark.parametrize("command", ["python3 -m job", "python3 -m cProfile -s time job.py", "python3 -m trace --count job.py"])
def test_a_module_that_is_run_is_read(command: str, tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("import os\nos.remove('/etc/x')\n")
    assert list_deleted(command, tmp_path) == ["/etc/x"]


def test_what_python_imports_by_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os\nos.remove('/etc/x')\n")
    assert list_deleted(f"PYTHONPATH={tmp_path} python3 -c 'print(1)'", tmp_path) == ["/etc/x"]


# ---- arguments


@pytest.mark.parametrize("command", ["python3 s.py /etc/x", 'python3 -c "import os, sys; os.remove(sys.argv[1])" /etc/x'])
def test_a_script_is_read_with_its_arguments(command: str, tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text("import os, sys\nfor path in sys.argv[1:]: os.remove(path)\n")
    assert list_deleted(command, tmp_path) == ["/etc/x"]


# ---- text


def test_a_notebooks_command_lines_are_the_shells(tmp_path: Path) -> None:
    found = effects(heredoc("%matplotlib inline\n!rm -r /etc/x\nimport os\nos.remove('/etc/y')"), tmp_path)
    assert any(isinstance(each, Run) and each.argv[0].text == "rm" for each in found.all)
    assert {each.place.path for each in found.all if isinstance(each, Delete)} == {"/etc/x", "/etc/y"}
    assert not any(isinstance(each, Opaque) for each in found.all)


def test_the_encoding_that_a_file_declares_is_the_one_it_is_read_in(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_bytes(b"# coding: utf-7\nimport os\nos.remove(+ACc-/etc/x+ACc-)\n")
    assert list_deleted("python3 s.py", tmp_path) == ["/etc/x"]


def test_broken_text_is_opaque_and_what_follows_is_read(tmp_path: Path) -> None:
    found = effects(heredoc("x = (\nimport os\nos.remove('/etc/x')"), tmp_path)
    assert any(isinstance(each, Opaque) for each in found.all)
    assert list_deleted(heredoc("import os\nif x ===: pass\nos.remove('/etc/x')"), tmp_path) == ["/etc/x"]


def test_without_the_grammar_python_is_opaque_with_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_python", None)
    grammar._parser.cache_clear()
    found = effects(heredoc("print(1)"), tmp_path)
    grammar._parser.cache_clear()
    assert any(isinstance(each, Opaque) and "pip install tree-sitter-python" in each.why for each in found.all)


# ---- bounds


HOSTILE = {
    "calls that double": "\n".join(f"def f{n}(x): return f{n - 1}(f{n - 1}(x))" for n in range(1, 30)) + "\nf29('a')",
    "text that doubles": "x = 'a'\n" + "x = x + x\n" * 200,
    "text that is replaced": "x = 'a' * 4000\n" + "x = x.replace('a', x)\n" * 20,
    "nested loops": "\n".join("    " * n + f"for a{n} in range(64):" for n in range(9)) + "\n" + "    " * 9 + "print(a0)",
    "branches": "x = []\n" + "".join(f"if g({n}): x.append({n})\n" for n in range(1500)),
    "parentheses": "x = " + "(" * 3000 + "1" + ")" * 3000,
    "a chain": "x" + ".a()" * 3000,
    "callables": "import os\n"
    + "".join(f"def h{n}(*a): return os.remove\n" for n in range(400))
    + "g("
    + ", ".join(f"h{n}" for n in range(400))
    + ")",
    "recursion": "def f(a, b, c): return [f(b, c, a), f(c, a, b), f(a, c, b)]\nf(1, 2, 3)",
    "code in code": "s = 'x = 1'\n" + "s = 'exec(%r)' % s\n" * 12 + "exec(s)",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_bounded(name: str) -> None:
    began = time.process_time()
    reading_of(HOSTILE[name])
    assert time.process_time() - began < 1.5  # generous: the bound itself is counted in steps


def test_what_stands_after_the_bound_is_swept() -> None:
    program = HOSTILE["nested loops"] + "\nimport os\ndef never_reached(): os.remove('/zz/x')\n"
    assert reading_of(program).is_opaque


# ---- rows


def test_a_row_names_parameters_that_its_function_has() -> None:
    known = python_library()
    seen: set[str] = set()
    for name, text in split_rows(ROWS).items():
        row = known.find_row(name)
        assert row is not None
        seen.add(name)
        parameters = {parameter.name for parameter in row.parameters} | {"me"}
        for effect in row.effects:
            for names in _names(effect):
                assert names & parameters, (name, names, text)
    assert set(SIGNATURES) <= seen


def _names(effect: ast.expr) -> list[set[str]]:
    """Returns the parameters that an effect mentions; of those in one set (`file or path`), one is enough."""
    functions = {id(node.func) for node in ast.walk(effect) if isinstance(node, ast.Call)}
    choices = [node for node in ast.walk(effect) if isinstance(node, ast.BoolOp)]
    within = {id(node) for choice in choices for node in ast.walk(choice)}
    names = [node for node in ast.walk(effect) if isinstance(node, ast.Name) and id(node) not in functions]
    single = [{node.id} for node in names if id(node) not in within]
    return single + [
        {node.id for node in ast.walk(choice) if isinstance(node, ast.Name)} for choice in choices if not _is_text(choice)
    ]


def _is_text(choice: ast.BoolOp) -> bool:
    return any(isinstance(node, ast.Constant) for node in ast.walk(choice))


@pytest.mark.parametrize("name", [name for name in SIGNATURES if name.startswith(("os.", "shutil."))])
def test_a_call_is_read_by_position_and_by_name(name: str) -> None:
    row = python_library().find_row(name)
    assert row is not None
    needed = [parameter.name for parameter in row.parameters if parameter.is_required]
    values = {parameter: f"'/zz/{parameter}'" for parameter in needed}
    head = f"import {name.partition('.')[0]}\n"
    by_position = reading_effects(head + f"{name}({', '.join(values.values())})")
    by_name = reading_effects(head + f"{name}({', '.join(f'{key}={value}' for key, value in values.items())})")
    assert by_position == by_name
    assert by_position


def reading_effects(program: str) -> list[str]:
    return [repr(each) for each in effects_of(program) if not isinstance(each, PrintedOutput)]
