import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { kiloPlugin, openCodePlugin } from "../index.js";
import { FAULTS, answering, noting, standIn } from "./stand-in.js";

const CALL = { tool: "bash", sessionID: "s", callID: "c" };
const host = (parents = {}) => ({
  client: { session: { get: async ({ path: { id } }) => ({ data: { parentID: parents[id] } }) } },
  directory: "/work",
  worktree: "/work",
});

const plugin = (command, more = {}) => openCodePlugin({ command, limit: 2000, ...more })(host());

test("a pass leaves the call as it is", async () => {
  const hooks = await plugin(answering({ decision: "pass" }));
  const output = { args: { command: "ls" } };
  await hooks["tool.execute.before"](CALL, output);
  assert.deepEqual(output, { args: { command: "ls" } });
});

test("a denial throws its reason", async () => {
  const hooks = await plugin(answering({ decision: "deny", reason: "because" }));
  await assert.rejects(hooks["tool.execute.before"](CALL, { args: {} }), /^Error: because$/);
});

test("a refusal by exit code throws what the gate said", async () => {
  const hooks = await plugin(standIn("echo because >&2; exit 2"));
  await assert.rejects(hooks["tool.execute.before"](CALL, { args: {} }), /because/);
});

for (const [fault, script] of Object.entries({ ...FAULTS, "no output": "true", "no decision": "echo '{}'" })) {
  test(`a gate that fails refuses the call and withholds the result: ${fault}`, async () => {
    const hooks = await plugin(standIn(script), { limit: fault === "hang" ? 300 : 5000 });
    const failure = { name: "GateFailure" };
    await assert.rejects(hooks["tool.execute.before"](CALL, { args: {} }), failure);
    await assert.rejects(hooks["tool.execute.after"]({ ...CALL, args: {} }, { output: "x" }), failure);
    await hooks["chat.message"]({ sessionID: "s" }, { parts: [] }); // the calls that follow say why they are refused
  });
}

test("a rewrite changes the arguments in place", async () => {
  const hooks = await plugin(answering({ decision: "pass", args: { command: "new" } }));
  const args = { command: "old", stale: 1 };
  await hooks["tool.execute.before"](CALL, { args });
  assert.deepEqual(args, { command: "new" });
});

test("a cleaned result takes the place of the raw one, in every part", async () => {
  const hooks = await plugin(answering({ decision: "pass", result: { output: "[hidden]", metadata: { output: "[hidden]" } } }));
  const output = { title: "t", output: "secret", metadata: { output: "secret" }, attachments: [] };
  await hooks["tool.execute.after"]({ ...CALL, args: {} }, output);
  assert.deepEqual(output, { title: "t", output: "[hidden]", metadata: { output: "[hidden]" }, attachments: [] });
});

test("a warning stands at the end of its own call's result", async () => {
  const hooks = await plugin(answering({ decision: "pass", context: "careful" }));
  await hooks["tool.execute.before"](CALL, { args: {} });
  const text = { output: "x" };
  const blocks = { content: [{ type: "text", text: "x" }] };
  await hooks["tool.execute.after"]({ ...CALL, args: {} }, text);
  await hooks["tool.execute.after"]({ ...CALL, callID: "d", args: {} }, blocks);
  assert.equal(text.output, "x\n\ncareful\n\ncareful");
  assert.deepEqual(blocks.content, [{ type: "text", text: "x" }, { type: "text", text: "careful" }]);
});

test("Kilo's plugin calls the gate for its own host", async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "toolgate-hooks-")), "told");
  const hooks = await kiloPlugin({ command: noting(file, { decision: "pass" }) })(host());
  await hooks["tool.execute.before"](CALL, { args: {} });
  assert.equal(readFileSync(file, "utf8").split("\n")[0], "kilo tool.execute.before");
});

test("the gate is told who calls, and from which session", async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "toolgate-hooks-")), "told");
  const team = { agent: "Fenster", role: "agent" };
  const hooks = await openCodePlugin({ command: noting(file, { decision: "pass" }), team })(host({ s: "parent", parent: "root" }));
  await hooks["tool.execute.before"](CALL, { args: { command: "ls" } });
  const [words, payload] = readFileSync(file, "utf8").split("\n");
  assert.equal(words, "TOOLGATE_AGENT=Fenster TOOLGATE_ROLE=agent opencode tool.execute.before");
  assert.deepEqual(JSON.parse(payload), {
    lineage: ["s", "parent", "root"],
    directory: "/work",
    worktree: "/work",
    tool: "bash",
    callID: "c",
    args: { command: "ls" },
  });
});

test("a session that the client does not know is refused", async () => {
  const client = { session: { get: async () => ({ error: {} }) } };
  const hooks = await openCodePlugin({ command: answering({ decision: "pass" }) })({ client });
  await assert.rejects(hooks["tool.execute.before"](CALL, { args: {} }), { name: "GateFailure" });
});

test("what an agent tells its own agent is no prompt of the user's", async () => {
  const hooks = await openCodePlugin({ command: standIn("exit 1") })(host({ s: "parent", parent: "root" }));
  await hooks["chat.message"]({ sessionID: "s" }, { parts: [{ type: "text", text: "go" }] });
});

test("a command without an absolute path is refused when the plugin is loaded", async () => {
  await assert.rejects(plugin(["toolgate-hook"]), /absolute/);
});
