// Cline CLI: hooks that ask the gate about every call, and about every result. A call that is skipped does not run.
import { GateFailure, openGate } from "./gate.js";

const CALL = "beforeTool";
const RESULT = "afterTool";
const PROMPT = "beforeRun";
const LIMIT = 2500; // milliseconds; the client ends the run after three seconds
const DEEPEST = 16; // agents that start each other
const WRAPPED_PROMPT = /^<user_input[^>]*>([\s\S]*)<\/user_input>$/;

/**
 * Returns the hooks `beforeRun`, `beforeTool` and `afterTool`. `place` returns what the client gave the plugin's `setup`. None of
 * them throws: the client would end the whole run.
 */
export function clineHooks({ place = () => undefined, ...options } = {}) {
  let opened;
  const ask = async (event, payload) => (opened ??= openGate({ host: "cline", limit: LIMIT, ...options }))(event, payload);
  const parents = new Map();
  const skipped = new Set();

  const about = ({ agentId, parentAgentId }) => {
    if (agentId) parents.set(agentId, parentAgentId);
    const lineage = [];
    for (let id = agentId; id && lineage.length < DEEPEST; id = parents.get(id)) lineage.push(id);
    const session = place()?.session?.sessionId;
    if (session) lineage.splice(-1, 1, session);
    return { lineage, directory: place()?.workspaceInfo?.rootPath ?? process.cwd() };
  };
  const payload = ({ snapshot = {}, tool, toolCall, input }) => ({
    ...about(snapshot),
    tool: toolCall?.toolName ?? tool?.name,
    callID: toolCall?.toolCallId,
    args: input ?? toolCall?.input,
  });
  const skip = (id, reason) => {
    skipped.add(id);
    return { skip: true, reason };
  };

  return {
    [PROMPT]: async ({ snapshot = {} }) => {
      const place = about(snapshot);
      const prompt = lastPrompt(snapshot.messages);
      if (snapshot.parentAgentId || !prompt) return;
      await ask(PROMPT, { ...place, prompt }).catch(() => {}); // each call is refused, and says why
    },
    [CALL]: async (context) => {
      const id = context.toolCall?.toolCallId;
      try {
        const said = await decided(ask, CALL, payload(context));
        if (said.decision === "deny") return skip(id, said.reason);
        if (said.decision === "ask") return { policy: { autoApprove: false }, appendContext: said.reason };
        return { ...(said.args && { input: said.args }), ...(said.context && { appendContext: said.context }) };
      } catch (problem) {
        return skip(id, problem.message);
      }
    },
    [RESULT]: async (context) => {
      if (skipped.delete(context.toolCall?.toolCallId)) return undefined; // the reason, which the gate wrote
      const withOutput = (output) => ({ result: { ...context.result, output } });
      try {
        const said = await decided(ask, RESULT, { ...payload(context), result: context.result?.output });
        if (said.decision !== "pass") return withOutput(said.reason);
        return said.result === undefined ? undefined : withOutput(said.result);
      } catch (problem) {
        return withOutput(problem.message);
      }
    },
  };
}

/** The gate's answer. Throws for anything that is not an answer: an empty one is none. */
async function decided(ask, event, payload) {
  const { answer, refusal } = await ask(event, payload);
  if (refusal) return { decision: "deny", reason: refusal };
  if (!["pass", "ask", "deny"].includes(answer?.decision)) throw new GateFailure("its answer decides nothing");
  return answer.decision === "pass" ? answer : { ...answer, reason: answer.reason || "toolgate stopped this and gave no reason" };
}

function lastPrompt(messages = []) {
  const last = [...messages].reverse().find(({ role }) => role === "user");
  const text = (last?.content ?? []).filter(({ type }) => type === "text").map((part) => part.text).join("\n");
  return (WRAPPED_PROMPT.exec(text)?.[1] ?? text).trim();
}
