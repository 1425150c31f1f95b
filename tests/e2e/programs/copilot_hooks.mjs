// The npm package of the Copilot SDK with the gate's hooks: node copilot_hooks.mjs '{"sdks", "package", "options", "url", "home", "project", "cache"}'
import path from "node:path";
import { pathToFileURL } from "node:url";

const { sdks, package: hooks, options, url, home, project, cache } = JSON.parse(process.argv[2]);
const { CopilotClient } = await import(pathToFileURL(path.join(sdks, "node_modules/@github/copilot-sdk/dist/index.js")));
const { copilotHooks } = await import(pathToFileURL(path.join(hooks, "index.js")));

const environment = {
  PATH: process.env.PATH,
  HOME: home,
  COPILOT_HOME: path.join(home, ".copilot"),
  COPILOT_CACHE_HOME: cache,
  XDG_CACHE_HOME: cache,
  COPILOT_OFFLINE: "true",
  COPILOT_PROVIDER_BASE_URL: url,
  NO_PROXY: "127.0.0.1,localhost",
};
const client = new CopilotClient({ cwd: project, workingDirectory: project, useLoggedInUser: false, env: environment });
await client.start();
const session = await client.createSession({
  model: "scripted",
  workingDirectory: project,
  provider: { type: "openai", wireApi: "completions", baseUrl: url, apiKey: "no-key" },
  ...copilotHooks({ project, ...options }),
});
await session.sendAndWait({ prompt: "go" }, 60000);
await client.stop().catch(() => {});
process.exit(0);
