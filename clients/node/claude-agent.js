// The Claude Agent SDK: `query({ prompt, options: { hooks: claudeAgentHooks() } })`.
import { openGate } from "./gate.js";

const EVENTS = [
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "UserPromptSubmit",
  "Stop",
  "SessionStart",
  "SessionEnd",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
];
const SECONDS = 10;

/** Returns `options.hooks`. No callback throws, and none returns undefined: the SDK takes either for no opinion. */
export function claudeAgentHooks({ project = process.cwd(), ...options } = {}) {
  const ask = closed(() => openGate({ host: "claude-code", environment: { CLAUDE_PROJECT_DIR: project }, ...options }));
  const hook = async (input) => {
    const event = input.hook_event_name;
    try {
      const { answer, refusal } = await ask(event, input);
      return answer ?? (refusal ? refused(event, refusal) : {});
    } catch (problem) {
      return refused(event, problem.message);
    }
  };
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook], timeout: SECONDS, onFailure: "block" }]]));
}

/** A gate that cannot be opened refuses each call: a throw while the options are made would be the caller's to handle. */
function closed(open) {
  let ask;
  return async (event, payload) => (ask ??= open())(event, payload);
}

function refused(event, reason) {
  switch (event) {
    case "PreToolUse":
      return { hookSpecificOutput: { hookEventName: event, permissionDecision: "deny", permissionDecisionReason: reason } };
    case "PermissionRequest":
      return { hookSpecificOutput: { hookEventName: event, decision: { behavior: "deny", message: reason } } };
    case "PostToolUse":
      return { continue: false, stopReason: reason };
    case "UserPromptSubmit":
    case "Stop":
      return { decision: "block", reason };
    default:
      return { systemMessage: reason };
  }
}
