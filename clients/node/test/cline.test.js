import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { clineHooks, openCodePlugin } from "../index.js";
import { FAULTS, answering, noting, standIn } from "./stand-in.js";

const place = () => ({ session: { sessionId: "s" }, workspaceInfo: { rootPath: "/work" } });
const call = (more = {}) => ({
  snapshot: { agentId: "main" },
  tool: { name: "run_commands" },
  toolCall: { toolName: "run_commands", toolCallId: "c" },
  input: { commands: ["ls"] },
  ...more,
});
const hooks = (command, more = {}) => clineHooks({ command, place, ...more });

test("a pass leaves the call as it is", async () => {
  assert.deepEqual(await hooks(answering({ decision: "pass" })).beforeTool(call()), {});
});

test("a denial skips the call, and its result is left alone", async () => {
  const gate = hooks(answering({ decision: "deny", reason: "because" }));
  assert.deepEqual(await gate.beforeTool(call()), { skip: true, reason: "because" });
  assert.equal(await gate.afterTool(call({ result: { output: { error: "because" } } })), undefined);
});

test("a refusal by exit code skips the call with what the gate said", async () => {
  assert.deepEqual(await hooks(standIn("echo because >&2; exit 2")).beforeTool(call()), { skip: true, reason: "because" });
});

test("a question is asked, with its reason", async () => {
  const said = await hooks(answering({ decision: "ask", reason: "because" })).beforeTool(call());
  assert.deepEqual(said, { policy: { autoApprove: false }, appendContext: "because" });
});

test("a rewrite and a warning go with the call", async () => {
  const said = await hooks(answering({ decision: "pass", args: { commands: ["new"] }, context: "careful" })).beforeTool(call());
  assert.deepEqual(said, { input: { commands: ["new"] }, appendContext: "careful" });
});

for (const [fault, script] of Object.entries({ ...FAULTS, "no output": "true", "no decision": "echo '{}'" })) {
  test(`a gate that fails skips the call and withholds the result: ${fault}`, async () => {
    const gate = hooks(standIn(script), { limit: fault === "hang" ? 300 : 2500 });
    const said = await gate.beforeTool(call());
    assert.equal(said.skip, true);
    assert.match(said.reason, /toolgate doctor/);
    const after = await gate.afterTool(call({ toolCall: { toolCallId: "d" }, result: { output: "raw", ok: 1 } }));
    assert.equal(after.result.ok, 1);
    assert.match(after.result.output, /toolgate doctor/);
    await gate.beforeRun({ snapshot: { agentId: "main", messages: [{ role: "user", content: [{ type: "text", text: "go" }] }] } });
  });
}

test("a cleaned result takes the place of the raw one", async () => {
  const gate = hooks(answering({ decision: "pass", result: [{ result: "[hidden]" }] }));
  const said = await gate.afterTool(call({ result: { output: [{ result: "secret" }], ok: 1 } }));
  assert.deepEqual(said, { result: { output: [{ result: "[hidden]" }], ok: 1 } });
});

test("the gate is told the session, the agents and the folder", async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "toolgate-hooks-")), "told");
  const gate = hooks(noting(file, { decision: "pass" }));
  await gate.beforeTool(call());
  await gate.beforeTool(call({ snapshot: { agentId: "inner", parentAgentId: "main" } }));
  await gate.beforeTool(call({ snapshot: { agentId: "innermost", parentAgentId: "inner" } }));
  const [words, payload] = readFileSync(file, "utf8").split("\n");
  assert.equal(words, "cline beforeTool");
  assert.deepEqual(JSON.parse(payload), {
    lineage: ["innermost", "inner", "s"],
    directory: "/work",
    tool: "run_commands",
    callID: "c",
    args: { commands: ["ls"] },
  });
});

test("a prompt of the person is told without its wrapping, and one of an agent is not", async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "toolgate-hooks-")), "told");
  const gate = hooks(noting(file, { decision: "pass" }));
  const content = [{ type: "text", text: '<user_input mode="act">please\ngo</user_input>' }];
  await gate.beforeRun({ snapshot: { agentId: "main", messages: [{ role: "user", content }] } });
  assert.equal(JSON.parse(readFileSync(file, "utf8").split("\n")[1]).prompt, "please\ngo");
  const inner = [{ type: "text", text: "inner" }];
  await gate.beforeRun({ snapshot: { agentId: "a", parentAgentId: "main", messages: [{ role: "user", content: inner }] } });
  assert.doesNotMatch(readFileSync(file, "utf8"), /inner/);
});

test("what an agent of a team may read and write is told in variables", async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "toolgate-hooks-")), "told");
  const command = standIn(`printf '%s\\n' "$TOOLGATE_WRITES" "$TOOLGATE_READS" > '${file}'; echo '{"decision": "pass"}'`);
  const gate = hooks(command, { team: { agent: "Fenster", writes: ["src/**", "a b"], reads: ["notes.md"] } });
  await gate.beforeTool(call());
  assert.equal(readFileSync(file, "utf8"), "src/**:a b\nnotes.md\n");
  for (const writes of [[], ["a:b"], "src/**"]) {
    const refused = await hooks(command, { team: { writes } }).beforeTool(call());
    assert.match(refused.reason, /TOOLGATE_WRITES is not a list of paths/);
    await assert.rejects(openCodePlugin({ command, team: { writes } })({ client: {}, directory: "/", worktree: "/" }), TypeError);
  }
});
