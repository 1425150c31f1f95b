"""Runs JavaScript programs with node in a scratch folder: every change on disk and every process that they started must have been
read.
"""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from toolgate.machine.world import MachineWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Delete, Effects, Move, Opaque, Run, Write
from toolgate.model.event import Caller, Scene
from toolgate.model.place import Place
from toolgate.understand import understand

NODE = shutil.which("node")
COUNT = int(os.environ.get("FUZZ_EXAMPLES", "200"))
SEED = int(os.environ.get("FUZZ_SEED", "11"))
pytestmark = pytest.mark.skipif(NODE is None and "REQUIRE_SHELLS" not in os.environ, reason="there is no node")


class Programs:
    """Programs with one act each: a way to a module, a way to a path, a way to call. The same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self, *choices: str) -> str:
        return self.random.choice(choices)

    def program(self) -> str:
        return self.random.choice((self.deletion, self.deletion, self.write, self.move, self.process_start, self.process_start))()

    def path(self) -> str:
        """Returns an expression for the file `d/victim`."""
        return self.text(
            "'d/victim'",
            "'d' + '/' + 'victim'",
            "`d/${'victim'}`",
            "require('path').join('d', 'victim')",
            "require('path').resolve('x', '..', 'd', 'victim')",
            "process.cwd() + '/d/victim'",
            "['d', 'victim'].join('/')",
            "'mitciv/d'.split('').reverse().join('')",
            "'d/victim.txt'.slice(0, -4)",
            "'d/VICTIM'.toLowerCase()",
            "atob('ZC92aWN0aW0=')",
            "Buffer.from('642f76696374696d', 'hex').toString()",
            "String.fromCharCode(100, 47) + 'victim'",
            "'d%2Fvictim'.replace('%2F', '/')",
            "decodeURIComponent('d%2Fvictim')",
            "process.env.HOME + '/d/victim'",
            "require('os').homedir() + '/d/victim'",
            "({a: {b: 'd/victim'}}).a.b",
            "(x => 'd/' + x)('victim')",
            "(process.env.NOT_SET || 'd/victim')",
            "(0 ? 'other' : 'd/victim')",
            "require('fs').readFileSync('name', 'utf8').trim()",
            "'\\x64/\\u{76}ictim'",
        )

    def call(self, module: str, function: str, arguments: str) -> str:
        """Returns a call of a module's function."""
        whole = self.text(
            f"require('{module}')",
            f"require('node:{module}')",
            f"process.mainModule.require('{module}')" if self.random.random() < 0.2 else f"require('{module}')",
            f"process.getBuiltinModule?.('{module}') ?? require('{module}')",
            f"module.require('{module}')",
            module,
            f"globalThis['{module}'] ?? {module}",
        )
        name = self.text("m", "_x", "fs0")
        half = len(function) // 2
        return self.text(
            f"({whole}).{function}({arguments})",
            f"const {name} = {whole}; {name}.{function}({arguments})",
            f"let {name}; {name} = {whole}; {name}['{function}']({arguments})",
            f"const {{{function}}} = {whole}; {function}({arguments})",
            f"const {{{function}: {name}}} = {whole}; {name}({arguments})",
            f"const {name} = ({whole}).{function}; {name}({arguments})",
            f"const {name} = {whole}; {name}['{function[:half]}' + '{function[half:]}']({arguments})",
            f"({whole}).{function}.call(null, {arguments})",
            f"({whole}).{function}.apply(null, [{arguments}])",
            f"({whole}).{function}.bind(null)({arguments})",
            f"Reflect.apply(({whole}).{function}, null, [{arguments}])",
            f"import('{module}').then({name} => {name}.{function}({arguments}))",
            f"import('node:{module}').then(({{{function}}}) => {function}({arguments}))",
            f"(async () => {{ const {name} = await import('{module}'); {name}.default.{function}({arguments}) }})()",
            f"function go(a) {{ a.{function}({arguments}) }} go({whole})",
            f"const go = (...a) => ({whole}).{function}(...a); go({arguments})",
            f"class A {{ static go() {{ ({whole}).{function}({arguments}) }} }} A.go()",
            f"const o = {{go() {{ return ({whole}).{function}({arguments}) }}}}; o.go()",
            f"setTimeout(() => ({whole}).{function}({arguments}), 1)",
            f"try {{ null.x }} catch {{ ({whole}).{function}({arguments}) }}",
            f"eval({_quote(f'require({module!r}).{function}({arguments})')})",
            f"new Function('require', {_quote(f'require({module!r}).{function}({arguments})')})(require)",
            f"(0, eval)({_quote(f'{module}.{function}({arguments})')})",
            f"require('vm').runInThisContext({_quote(f'{module}.{function}({arguments})')})",
            f"[1].forEach(() => ({whole}).{function}({arguments}))",
            f"for (const {name} of [{whole}]) {name}.{function}({arguments})",
            f"with ({whole}) {function}({arguments})",
        )

    def deletion(self) -> str:
        function = self.text("unlinkSync", "rmSync", "promises.unlink", "promises.rm")
        if "." in function:
            return f"require('fs').{function}({self.path()})"
        return self.call("fs", function, self.path())

    def write(self) -> str:
        function, more = self.random.choice((("writeFileSync", ", 'x'"), ("appendFileSync", ", 'x'"), ("truncateSync", ", 0")))
        return self.call("fs", function, self.path() + more)

    def move(self) -> str:
        return self.call("fs", "renameSync", f"{self.path()}, 'd/elsewhere'")

    def process_start(self) -> str:
        tool = "./marker a"
        function, arguments = self.random.choice(
            (
                ("execSync", f"'{tool}'"),
                ("execSync", "['./marker', 'a'].join(' ')"),
                ("spawnSync", "'./marker', ['a']"),
                ("execFileSync", "'./marker', ['a']"),
                ("spawnSync", f"'{tool}', {{shell: true}}"),
                ("execSync", "'sh', {input: './marker a'}"),
                ("spawnSync", "'sh', ['-c', './marker a']"),
                ("spawnSync", "process.execPath, ['-e', 'child_process.execFileSync(\"./marker\", [\"a\"])']"),
            )
        )
        return self.call("child_process", function, arguments)


def _quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def create_files(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "d").mkdir(parents=True)
    (folder / "d" / "victim").write_text("victim")
    (folder / "name").write_text("d/victim\n")
    (folder / "marker").write_text('#!/bin/sh\n: > "ran-$1"\n')
    (folder / "marker").chmod(0o755)


def state(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def read_program(program: str, folder: Path) -> Effects:
    home = str(folder)
    scene = Scene(Caller("test"), home, home, home, {"HOME": home, "PATH": "/usr/bin:/bin"}, "u")
    return understand(RunShell("node -e '" + program.replace("'", "'\\''") + "'"), scene, MachineWorld())


def list_changed_places(effects: Effects) -> list[Place]:
    places = [effect.place for effect in effects.all if isinstance(effect, Write | Delete | Move)]
    return places + [effect.to for effect in effects.all if isinstance(effect, Move)]


def includes_path(place: Place, path: str) -> bool:
    return path in (place.path, f"{place.anchor}/{place.rest}") or (place.path is None and path.startswith(place.anchor or "/"))


def test_what_node_does_has_been_read(tmp_path: Path) -> None:
    folder = tmp_path.resolve() / "w"
    did = 0
    for seed in range(SEED, SEED + COUNT):
        program = Programs(seed).program()
        create_files(folder)
        effects = read_program(program, folder)
        before = state(folder)
        environ = {"HOME": str(folder), "PATH": os.environ["PATH"]}
        subprocess.run([NODE or "node", "-e", program], cwd=folder, env=environ, capture_output=True, check=False, timeout=20)
        after = state(folder)
        if any(isinstance(effect, Opaque) for effect in effects.all):
            continue
        for name in {*before, *after}:
            if before.get(name) == after.get(name):
                continue
            did += 1
            if name.startswith("ran-"):
                argvs = [[word.text for word in effect.argv] for effect in effects.all if isinstance(effect, Run)]
                assert ["./marker", "a"] in argvs, f"FUZZ_SEED={seed} {program}"
            else:
                assert any(includes_path(place, f"{folder}/{name}") for place in list_changed_places(effects)), (
                    f"FUZZ_SEED={seed} {name} {program}"
                )
    assert did > COUNT // 2, "the generator makes nothing that does anything"
