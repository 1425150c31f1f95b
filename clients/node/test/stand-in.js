// A gate that answers what a test says: a real program, started as the real one is.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export const FAULTS = {
  crash: "exit 1",
  "missing program": null,
  killed: "kill -9 $$",
  garbage: "echo not json",
  "no object": "echo '[]'",
  hang: "exec sleep 60",
};

/** Returns the command of a gate that runs a shell script, which finds its input in $INPUT and its event in $EVENT. */
export function standIn(script) {
  const folder = mkdtempSync(path.join(tmpdir(), "toolgate-hooks-"));
  if (script === null) return [path.join(folder, "nothing-here")];
  const program = path.join(folder, "gate");
  writeFileSync(program, `#!/bin/sh\nINPUT=$(cat)\nfor EVENT; do :; done\n${script}\n`, { mode: 0o755 });
  return [program];
}

export const answering = (answer) => standIn(`cat <<'END'\n${JSON.stringify(answer)}\nEND`);
export const noting = (file, answer) => standIn(`printf '%s\\n' "$*" "$INPUT" > '${file}'; echo '${JSON.stringify(answer)}'`);
