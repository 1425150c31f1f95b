import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { claudeAgentHooks, copilotHooks } from "../index.js";
import { recordedCommand } from "../gate.js";
import { FAULTS, answering, standIn } from "./stand-in.js";

const CALL = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
const USE = { sessionId: "s", workingDirectory: "/work", timestamp: new Date(), toolName: "bash", toolArgs: { command: "ls" } };
const SHELL = { kind: "shell", fullCommandText: "ls" };
const limit = 400;

const claude = (command) => claudeAgentHooks({ command, limit }).PreToolUse[0].hooks[0];

test("every hook of the Claude Agent SDK blocks where it fails", () => {
  for (const [entry] of Object.values(claudeAgentHooks({ command: standIn("true") }))) assert.equal(entry.onFailure, "block");
});

test("the Claude Agent SDK gets the gate's own answer, and an object where it is silent", async () => {
  const denial = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "r" } };
  assert.deepEqual(await claude(answering(denial))(CALL), denial);
  assert.deepEqual(await claude(standIn("true"))(CALL), {});
});

for (const [fault, script] of Object.entries({ ...FAULTS, "refused by exit code": "echo because >&2; exit 2" })) {
  test(`a gate that fails denies a call of either SDK: ${fault}`, async () => {
    const command = standIn(script);
    assert.equal((await claude(command)(CALL)).hookSpecificOutput.permissionDecision, "deny");
    const { hooks, onPermissionRequest } = copilotHooks({ command, limit });
    assert.equal((await hooks.onPreToolUse(USE)).permissionDecision, "deny");
    assert.equal((await onPermissionRequest(SHELL, {})).kind, "reject");
    const result = await hooks.onPostToolUse({ ...USE, toolResult: { textResultForLlm: "secret", resultType: "success" } });
    assert.doesNotMatch(JSON.stringify(result), /secret/);
    assert.ok(result.modifiedResult.textResultForLlm);
  });
}

test("a command that is not absolute denies, and does not throw", async () => {
  assert.equal((await claude(["gate"])(CALL)).hookSpecificOutput.permissionDecision, "deny");
  assert.equal((await copilotHooks({ command: ["gate"] }).hooks.onPreToolUse(USE)).permissionDecision, "deny");
});

test("what a hook let pass is approved, and what no hook saw is judged where permission is asked for", async () => {
  const judged = copilotHooks({ command: standIn("true") });
  assert.equal(await judged.hooks.onPreToolUse(USE), undefined);
  assert.deepEqual(await judged.onPermissionRequest(SHELL, {}), { kind: "approve-once" });
  const denial = { permissionDecision: "deny", permissionDecisionReason: "r" };
  const unseen = copilotHooks({ command: answering(denial) });
  assert.deepEqual(await unseen.onPermissionRequest(SHELL, {}), { kind: "reject", feedback: "r" });
});

test("a question goes to `permission`, and is rejected where there is none", async () => {
  const request = { kind: "hook", hookMessage: "sure?" };
  assert.equal((await copilotHooks({ command: standIn("true") }).onPermissionRequest(request, {})).kind, "reject");
  const asked = copilotHooks({ command: standIn("true"), permission: (given) => ({ kind: "approve-once", given }) });
  assert.deepEqual(await asked.onPermissionRequest(request, {}), { kind: "approve-once", given: request });
});

test("the recorded command is read from the state folder", () => {
  const home = mkdtempSync(path.join(tmpdir(), "toolgate-hooks-"));
  assert.throws(() => recordedCommand({ HOME: home }), { name: "GateFailure" });
  const folder = path.join(home, ".local", "state", "toolgate");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "hook-command.json"), '["/opt/toolgate-hook"]');
  assert.deepEqual(recordedCommand({ HOME: home }), ["/opt/toolgate-hook"]);
  writeFileSync(path.join(folder, "hook-command.json"), '"toolgate-hook"');
  assert.throws(() => recordedCommand({ HOME: home }), { name: "GateFailure" });
});
