// The npm package of the Claude Agent SDK with the gate's hooks: node claude_agent_hooks.mjs '{"sdks", "package", "options", "url", "home", "project"}'
import path from "node:path";
import { pathToFileURL } from "node:url";

const { sdks, package: hooks, options, url, home, project } = JSON.parse(process.argv[2]);
const { query } = await import(pathToFileURL(path.join(sdks, "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs")));
const { claudeAgentHooks } = await import(pathToFileURL(path.join(hooks, "index.js")));

const environment = {
  PATH: process.env.PATH,
  HOME: home,
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: "no-key",
  IS_SANDBOX: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
};
const conversation = query({
  prompt: "go",
  options: {
    cwd: project,
    env: environment,
    permissionMode: "bypassPermissions",
    allowDangerouslySkipPermissions: true,
    settingSources: [],
    hooks: claudeAgentHooks({ project, ...options }),
  },
});
for await (const message of conversation) void message;
process.exit(0);
