// OpenCode, and Kilo CLI, which is built from it: a plugin that asks the gate about every call, and about every result. A throw keeps a tool from running.
import { GateFailure, openGate } from "./gate.js";

const CALL = "tool.execute.before";
const RESULT = "tool.execute.after";
const PROMPT = "chat.message";
const DEEPEST = 16; // sessions that start each other
const HELD_BACK = new Set(["attachments"]); // files in full, which no text is looked for in

/** Returns the plugin: `export const Toolgate = openCodePlugin({ command })`. */
export function openCodePlugin(options = {}) {
  return async ({ client, directory, worktree }) => {
    const ask = openGate({ host: "opencode", ...options });
    const lineageOf = lineages(client);
    const contexts = new Map();
    const about = async (sessionID) => ({ lineage: await lineageOf(sessionID), directory, worktree });

    return {
      [CALL]: async ({ tool, sessionID, callID }, output) => {
        const said = await decided(ask, CALL, { ...(await about(sessionID)), tool, callID, args: output.args });
        if (said.args) replaceFields(output.args, said.args);
        if (said.context) contexts.set(callID, said.context);
      },
      [RESULT]: async ({ tool, sessionID, callID, args }, output) => {
        const context = contexts.get(callID);
        contexts.delete(callID);
        const shown = Object.fromEntries(Object.entries(output).filter(([name]) => !HELD_BACK.has(name)));
        const said = await decided(ask, RESULT, { ...(await about(sessionID)), tool, callID, args, result: shown });
        if (said.result) Object.assign(output, said.result);
        for (const note of [context, said.context]) if (note) append(output, note);
      },
      [PROMPT]: async ({ sessionID }, { parts }) => {
        const where = await about(sessionID).catch(() => ({ lineage: [] }));
        if (where.lineage.length !== 1) return; // an agent wrote it to an agent of its own
        const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n");
        const { answer } = await ask(PROMPT, { ...where, prompt }).catch(() => ({})); // each call is refused, and says why
        if (answer?.decision === "deny") throw new Error(answer.reason);
      },
    };
  };
}

/** The same plugin for Kilo CLI. */
export const kiloPlugin = (options = {}) => openCodePlugin({ host: "kilo", ...options });

/** The gate's answer. Throws for a denial, and for anything that is not an answer: an empty one is none. */
async function decided(ask, event, payload) {
  const { answer, refusal } = await ask(event, payload);
  if (answer?.decision === "deny") throw new Error(answer.reason || "toolgate stopped this and gave no reason");
  if (refusal) throw new Error(refusal);
  if (answer?.decision !== "pass") throw new GateFailure("its answer decides nothing");
  return answer;
}

/** Returns lineage(sessionID): the ids of a session and of those that started it, a person's own last. */
function lineages(client) {
  const parents = new Map();
  const parentOf = async (id) => {
    if (!parents.has(id)) {
      const found = await client.session.get({ path: { id } });
      if (!found.data) throw new GateFailure(`the client does not know its own session ${id}`);
      parents.set(id, found.data.parentID ?? null);
    }
    return parents.get(id);
  };
  return async (id) => {
    const ids = [];
    for (let each = id; each !== null && ids.length < DEEPEST; each = await parentOf(each)) ids.push(each);
    return ids;
  };
}

/** In place: the host ignores a new object. */
function replaceFields(target, fields) {
  for (const name of Object.keys(target)) if (!(name in fields)) delete target[name];
  Object.assign(target, fields);
}

function append(output, note) {
  if (Array.isArray(output.content)) output.content = [...output.content, { type: "text", text: note }];
  else output.output = `${output.output ?? ""}\n\n${note}`;
}
