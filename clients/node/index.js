export { claudeAgentHooks } from "./claude-agent.js";
export { clineHooks } from "./cline.js";
export { copilotHooks } from "./copilot.js";
export { GateFailure } from "./gate.js";
export { kiloPlugin, openCodePlugin } from "./open-code.js";
