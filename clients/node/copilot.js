// The GitHub Copilot SDK: `client.createSession({ ...copilotHooks(), model })`. Give it to `resumeSession`, too: a session that is
// resumed without hooks has none.
import path from "node:path";

import { openGate } from "./gate.js";

const REMEMBERED = 1000; // calls
const RENAMED = { workingDirectory: "cwd" };

/**
 * Returns `hooks` and `onPermissionRequest`. No hook throws: the SDK would take that for no opinion, and ask for permission.
 * What no hook was asked about is judged where permission is asked for. `permission` answers what the gate asks; without it,
 * what the gate asks is rejected.
 */
export function copilotHooks({ permission, project = process.cwd(), ...options } = {}) {
  let opened;
  const ask = async (event, payload) => {
    opened ??= openGate({ host: "copilot", environment: { COPILOT_PROJECT_DIR: project }, ...options });
    const { answer, refusal } = await opened(event, payload);
    return answer ?? (refusal ? refused(event, refusal) : undefined);
  };
  const safely = (event, answered) => async (input) => {
    try {
      return await answered(event, payload(input));
    } catch (problem) {
      return refused(event, problem.message);
    }
  };
  const passed = [];

  const before = async (event, given) => {
    const said = await ask(event, given);
    if (!["deny", "ask"].includes(said?.permissionDecision)) passed.push(marks(given));
    if (passed.length > REMEMBERED) passed.shift();
    return said;
  };

  const onPermissionRequest = async (request, invocation) => {
    let question = request.kind === "hook" ? request.hookMessage || "toolgate asks" : "";
    try {
      if (!question && !passed.some((known) => known.has(mark(request)))) {
        const said = await ask("preToolUse", callOf(request, invocation, project));
        if (said?.permissionDecision === "deny") return rejected(said.permissionDecisionReason);
        if (said?.permissionDecision === "ask") question = said.permissionDecisionReason;
      }
    } catch (problem) {
      return rejected(problem.message);
    }
    if (permission) return permission(request, invocation);
    return question ? rejected(`Nobody is there who could be asked. ${question}`) : { kind: "approve-once" };
  };

  return {
    hooks: {
      onPreToolUse: safely("preToolUse", before),
      onPostToolUse: safely("postToolUse", ask),
      onUserPromptSubmitted: safely("userPromptSubmitted", ask),
      onSessionStart: safely("sessionStart", ask),
      onSessionEnd: safely("sessionEnd", ask),
      onAgentStop: safely("agentStop", ask),
    },
    onPermissionRequest,
  };
}

function refused(event, reason) {
  switch (event) {
    case "preToolUse":
      return { permissionDecision: "deny", permissionDecisionReason: reason };
    case "postToolUse":
      return { modifiedResult: { textResultForLlm: reason, resultType: "success" } };
    case "userPromptSubmitted":
    case "agentStop":
      return { decision: "block", reason };
    default:
      return undefined;
  }
}

const rejected = (feedback) => ({ kind: "reject", feedback });

/** What the runtime itself sends to a hook that is a program. */
function payload(input) {
  const { timestamp: _, ...given } = input;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [RENAMED[name] ?? name, value]));
}

/** What a permission request could name a call by: it brings no number. */
function marks({ toolName, toolArgs, cwd = "" }) {
  if (typeof toolArgs === "string") {
    const files = [...toolArgs.matchAll(/^\*\*\* [A-Za-z ]+: (.+)$/gm)].map(([, file]) => file.trim());
    return new Set(files.map((file) => one("file", path.resolve(cwd, file))));
  }
  const found = new Set([one("tool", [toolName, toolArgs])]);
  for (const [name, value] of Object.entries(toolArgs ?? {})) {
    if (typeof value === "string" && (name === "command" || name === "url")) found.add(one(name, value));
    if (name !== "path" && name !== "paths") continue;
    for (const file of [value].flat()) if (typeof file === "string") found.add(one("file", path.resolve(cwd, file)));
  }
  return found;
}

function mark(request) {
  switch (request.kind) {
    case "shell":
      return one("command", request.fullCommandText);
    case "write":
      return one("file", request.fileName);
    case "read":
      return one("file", request.path);
    case "url":
      return one("url", request.url);
    case "mcp":
      return one("tool", [`${request.serverName}-${request.toolName}`, request.args]);
    default:
      return one("tool", [request.toolName ?? "", request.args]);
  }
}

const one = (kind, value) => JSON.stringify([kind, value ?? {}]);

/** The call that a permission is asked for, as far as the request tells it. */
function callOf(request, invocation, cwd) {
  const [toolName, toolArgs] = toolOf(request);
  return { sessionId: invocation?.sessionId ?? "", cwd, toolName, toolArgs };
}

function toolOf(request) {
  switch (request.kind) {
    case "shell":
      return ["bash", { command: request.fullCommandText }];
    case "write":
      return request.newFileContents === undefined
        ? ["edit", { path: request.fileName, diff: request.diff ?? "" }]
        : ["create", { path: request.fileName, file_text: request.newFileContents }];
    case "read":
      return ["view", { path: request.path }];
    case "url":
      return ["web_fetch", { url: request.url }];
    case "mcp":
      return [`${request.serverName}/${request.toolName}`, request.args ?? {}];
    case "custom-tool":
      return [request.toolName, request.args ?? {}];
    default:
      return [String(request.kind), {}];
  }
}
