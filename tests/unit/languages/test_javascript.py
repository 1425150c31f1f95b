"""Tests the limits of reading JavaScript: without its grammars, with slow text, with values that are not in the text."""

import sys
from pathlib import Path

import pytest

from toolgate.languages.javascript import grammar
from toolgate.languages.javascript.text import decode_text
from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Delete, Effects, Interpret, Opaque
from toolgate.model.event import Caller, Scene
from toolgate.understand import understand


def effects(program: str, folder: Path, command: str = "node -e") -> Effects:
    text = f"{command} '" + program.replace("'", "'\\''") + "'"
    return understand(RunShell(text), Scene(Caller("test"), str(folder), str(folder), "/home/u", {}, "u"), MachineWorld())


def list_deleted(effects_found: Effects) -> list[str | None]:
    return [effect.place.path for effect in effects_found.all if isinstance(effect, Delete)]


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
    program = "function a() { const d = 'dist'; fs.rmSync(d) } function b() { const d = '/etc'; console.log(d) } a(); b()"
    assert list_deleted(effects(program, tmp_path)) == [f"{tmp_path}/dist"]


def test_every_value_that_a_name_is_given_counts(tmp_path: Path) -> None:
    assert set(list_deleted(effects("let d = 'a'; if (x) d = '/etc'; fs.rmSync(d)", tmp_path))) == {f"{tmp_path}/a", "/etc"}


def test_in_a_file_that_was_there_an_unknown_target_is_its_authors_matter(tmp_path: Path) -> None:
    (tmp_path / "clean.js").write_text("const c = require('./c');\nfs.rmSync(c.out, {recursive: true});\nfs.rmSync('/etc');\n")
    text = "node clean.js"
    scene = Scene(Caller("test"), str(tmp_path), str(tmp_path), "/home/u", {}, "u")
    assert list_deleted(understand(RunShell(text), scene, MachineWorld())) == ["/etc"]
    written = "printf '%s' 'fs.rmSync(c.out, {recursive: true})' > clean.js; node clean.js"
    assert list_deleted(understand(RunShell(written), scene, MachineWorld())) == [None]


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
    assert decode_text(text, encoding) == plain


def list_deleted_by_script(folder: Path, command: str) -> list[str | None]:
    scene = Scene(Caller("test"), str(folder), str(folder), "/home/u", {}, "u")
    return list_deleted(understand(RunShell(command), scene, MachineWorld()))


@pytest.mark.parametrize(
    "command",
    ["node s.js /etc", "tsx s.js /etc", "ts-node s.js /etc", "bun run s.js /etc", "bun s.js /etc", "deno run -A s.js /etc"],
)
def test_a_script_is_given_its_arguments(command: str, tmp_path: Path) -> None:
    (tmp_path / "s.js").write_text("const [,, target] = process.argv;\nrequire('fs').rmSync(target, {recursive: true});\n")
    assert list_deleted_by_script(tmp_path, command) == ["/etc"]


def test_deno_has_its_arguments_alone(tmp_path: Path) -> None:
    (tmp_path / "s.ts").write_text("await Deno.remove(Deno.args[0]!, {recursive: true});\n")
    assert list_deleted_by_script(tmp_path, "deno run -A s.ts /etc") == ["/etc"]


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("lib.js", "exports.clean = p => require('fs').rmSync(p)"),
        ("lib.js", "module.exports = {clean(p) { require('fs').rmSync(p) }}"),
        ("lib.ts", "import fs from 'fs'; export function clean(p: string): void { fs.rmSync(p) }"),
        ("lib/index.js", "const fs = require('fs'); class A { clean(p) { fs.rmSync(p) } } module.exports = new A()"),
        ("lib.mjs", "import {rmSync} from 'fs'; const clean = p => rmSync(p); export {clean}"),
        ("lib.js", "export * from './more.js'"),
    ],
)
@pytest.mark.parametrize(
    "user",
    [
        "require('./lib').clean('/etc')",
        "import {clean as c} from './lib'; c('/etc')",
        "import * as lib from './lib'; lib.clean('/etc')",
        "import('./lib').then(({clean}) => clean('/etc'))",
    ],
)
def test_modules_beside_the_code_are_read(module: str, text: str, user: str, tmp_path: Path) -> None:
    (tmp_path / module).parent.mkdir(exist_ok=True)
    (tmp_path / module).write_text(text)
    (tmp_path / "more.js").write_text("exports.clean = p => require('fs').rmSync(p)")
    (tmp_path / "s.mjs").write_text(user)
    assert list_deleted_by_script(tmp_path, "node s.mjs") == ["/etc"]


def test_what_a_module_holds_as_data_is_known(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"out": "/etc"}')
    assert list_deleted(effects("fs.rmSync(require('./config.json').out)", tmp_path)) == ["/etc"]


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("const t = {x: fs.rmSync}; t.y = t.x; t.y('/a')", {"/a"}),
        ("for (const f of fs.readdirSync('/d')) if (f.endsWith('.log')) fs.unlinkSync('/d/' + f)", {None}),
        ("function f({dir = '/a', ...rest} = {}) { fs.rmSync(dir); fs.rmSync(rest.b) } f({b: '/b'})", {"/a", "/b"}),
        ("const o = {get p() { return '/a' }, set q(v) { fs.rmSync(v) }}; fs.rmSync(o.p); o.q = '/b'", {"/a", "/b"}),
        ("let x; x ??= '/a'; x ||= '/b'; fs.rmSync(x)", {"/a"}),
        ("const fs2 = []; for (let i = 0; i < 2; i++) fs2.push(() => fs.rmSync('/' + i)); fs2.map(f => f())", {"/0", "/1"}),
        ("a: for (const x of ['/a', '/b']) { for (;;) { if (x == '/a') continue a; fs.rmSync(x); break a } }", {"/b"}),
        ("enum D { A = '/a' } fs.rmSync(D.A as string)", {"/a"}),
        ("class P { constructor(private readonly w: string) {} go() { fs.rmSync(this.w) } } new P('/a').go()", {"/a"}),
        (
            "abstract class B { go() { fs.rmSync('/a') } } class C extends B { } new C().go()",
            {"/a"},
        ),
        ("unheard.of(fs.rmSync, '/a')", {"/a"}),
        ("fs.rm('/a', {recursive: true}, () => fs.rmSync('/b'))", {"/a", "/b"}),
        ("if (0) fs.rmSync('/a'); else fs.rmSync('/b')", {"/b"}),
    ],
)
def test_the_ways_of_values(program: str, found: set[str | None], tmp_path: Path) -> None:
    assert set(list_deleted(effects(program, tmp_path, "tsx -e"))) == found


@pytest.mark.parametrize(
    "program", ["eval(process.env.X)", "fs[process.env.X]('/a')", "require(process.env.X)()", "fs.rmSync('/a'"]
)
def test_what_hides_a_call_is_opaque(program: str, tmp_path: Path) -> None:
    found = effects(program, tmp_path).all
    assert any(isinstance(effect, Opaque) for effect in found) or any(
        isinstance(effect, Interpret) and effect.code.text is None for effect in found
    )
