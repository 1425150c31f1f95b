"""Runs JavaScript programs with node, with stubs in place of harmful functions."""

import json
import re
import shutil
import subprocess
from pathlib import Path

NODE = shutil.which("node")
RUNNER = """
const fs = require('fs'), child_process = require('child_process');
const files = process.argv.slice(2), read = fs.readFileSync, answers = [];
let seen = [], state = 1;
const first = kind => target => { seen.push([kind, String(target)]); return '' };
fs.rmSync = fs.unlinkSync = fs.rmdirSync = first('delete');
fs.promises.rm = async target => first('delete')(target);
fs.rm = (target, done) => { first('delete')(target); if (done) done(null) };
child_process.execSync = first('shell');
require('module').syncBuiltinESMExports();
Math.random = () => { state = (state * 48271) % 2147483647; return state / 2147483647 };
let failed = null;
process.on('uncaughtException', error => { failed = String(error) });
process.on('unhandledRejection', error => { failed = String(error) });
const settle = async () => { for (let n = 0; n < 4; n++) await new Promise(done => setTimeout(done, 1)) };
(async () => {
  for (const [number, file] of files.entries()) {
    seen = []; failed = null; state = number + 7;
    try { file.endsWith('.mjs') ? await import(file) : require(file) } catch (error) { failed = String(error) }
    await settle();
    answers.push([seen, failed]);
  }
  process.stdout.write('\\n' + JSON.stringify(answers) + '\\n');
})();
"""


_IS_MODULE = re.compile(r"^(?:import|export) ", re.MULTILINE).search


def really_run(programs: list[str], folder: Path) -> list[tuple[set[tuple[str, str]], str | None]]:
    """Returns the calls of each program, and its error if it failed."""
    runner = folder / "runner.js"
    runner.write_text(RUNNER)
    files = []
    for number, program in enumerate(programs):
        file = folder / f"p{number}{'.mjs' if _IS_MODULE(program) else '.js'}"
        file.write_text(program)
        files.append(str(file))
    ran = subprocess.run([NODE or "node", str(runner), *files], capture_output=True, text=True, check=True, cwd=folder)
    answers = json.loads(ran.stdout.splitlines()[-1])
    return [({(kind, text) for kind, text in calls}, failed) for calls, failed in answers]
