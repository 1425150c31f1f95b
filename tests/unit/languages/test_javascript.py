"""JavaScript's reading at its edges: without its grammars, with text made to be slow, with what is not in the text."""

import sys
from pathlib import Path

import pytest

from toolgate.languages.javascript import grammar
from toolgate.languages.javascript.text import decode
from toolgate.machine.world import Machine
from toolgate.model.action import RunShell
from toolgate.model.effect import Delete, Effects, Opaque
from toolgate.model.event import Caller, Scene
from toolgate.understand import understand


def effects(program: str, folder: Path, command: str = "node -e") -> Effects:
    text = f"{command} '" + program.replace("'", "'\\''") + "'"
    return understand(RunShell(text), Scene(Caller("test"), str(folder), str(folder), "/home/u", {}, "u"), Machine())


def deleted(found: Effects) -> list[str | None]:
    return [effect.place.path for effect in found.all if isinstance(effect, Delete)]


def test_without_the_grammars_all_of_it_is_opaque(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_javascript", None)
    grammar._parser.cache_clear()
    found = [effect for effect in effects("require('fs').rmSync('/etc')", tmp_path).all if isinstance(effect, Opaque)]
    grammar._parser.cache_clear()
    assert "pip install tree-sitter-javascript" in found[0].why


@pytest.mark.parametrize("program", ['import { rm" } from "fs"', 'import { rm " } from "fs"; rm("/")', 'import * as " from "fs"'])
def test_an_import_that_is_broken_off_is_opaque(program: str, tmp_path: Path) -> None:
    assert any(isinstance(effect, Opaque) for effect in effects(program, tmp_path).all)


@pytest.mark.parametrize(
    "program",
    [
        "+".join(["'a'"] * 20_000),
        "f(" * 10_000 + "1" + ")" * 10_000,
        "(()=>" * 8_000 + "1" + ")" * 8_000,
        "[" * 30_000 + "]" * 30_000,
        "a='1';" + "".join(f"a=a+'{n}';" for n in range(3000)) + "fs.rmSync(a)",
        "".join(f"function f{n}(x){{return f{n + 1}(x+f{n + 1}(x))}}" for n in range(1000)) + "f0('/')",
        "p" + ".then(x=>x)" * 4_000,
        "fs.rmSync(" + "`${" * 3_000 + "1" + "}`" * 3_000 + ")",
        "x" + ".a" * 30_000 + "()",
        "".join(f"let a{n}=a{n - 1}||'x{n}';" for n in range(1, 2000)) + "fs.rmSync(a1999)",
    ],
    ids=lambda text: text[:12],
)
def test_text_made_to_be_slow_ends_with_an_answer(program: str, tmp_path: Path) -> None:
    assert effects(program, tmp_path).all


def test_a_text_too_long_to_read_is_opaque(tmp_path: Path) -> None:
    assert any(isinstance(effect, Opaque) for effect in effects("1;" * 410_000, tmp_path).all)


def test_scopes_are_kept_apart(tmp_path: Path) -> None:
    program = "function a() { const d = 'dist'; fs.rmSync(d) } function b() { const d = '/etc'; console.log(d) }"
    assert deleted(effects(program, tmp_path)) == [f"{tmp_path}/dist"]


def test_every_value_that_a_name_is_given_counts(tmp_path: Path) -> None:
    assert set(deleted(effects("let d = 'a'; if (x) d = '/etc'; fs.rmSync(d)", tmp_path))) == {f"{tmp_path}/a", "/etc"}


def test_in_a_file_that_was_there_an_unknown_target_is_its_authors_matter(tmp_path: Path) -> None:
    (tmp_path / "clean.js").write_text("const c = require('./c');\nfs.rmSync(c.out, {recursive: true});\nfs.rmSync('/etc');\n")
    text = "node clean.js"
    scene = Scene(Caller("test"), str(tmp_path), str(tmp_path), "/home/u", {}, "u")
    assert deleted(understand(RunShell(text), scene, Machine())) == ["/etc"]
    written = "printf '%s' 'fs.rmSync(c.out, {recursive: true})' > clean.js; node clean.js"
    assert deleted(understand(RunShell(written), scene, Machine())) == [None]


@pytest.mark.parametrize(
    ("text", "value"), [("0o777", 0o777), ("0777", 0o777), ("0x1ff", 511), ("511n", 511), ("1.5", 1.5), ("x", None)]
)
def test_numbers(text: str, value: int | None) -> None:
    assert grammar.parse_number(text) == value


@pytest.mark.parametrize(
    ("text", "encoding", "plain"),
    [("cm0", "base64", "rm"), ("cm0=", "base64url", "rm"), ("726d", "hex", "rm"), ("x", "hex", None), ("rm", "utf8", "rm")],
)
def test_encodings(text: str, encoding: str, plain: str | None) -> None:
    assert decode(text, encoding) == plain
