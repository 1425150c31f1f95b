/** Which of a team's agents a session is. */
export interface Team {
  agent?: string;
  role?: "coordinator" | "reviewer" | "scribe" | "agent";
  /** Files that it may read besides its own. */
  reads?: readonly string[];
  /** The only globs that it may write. Without it: as the team's files say. */
  writes?: readonly string[];
  phase?: "init-phase-1" | "init-phase-2" | "team-mode";
}

export interface Options {
  /** The gate's program, absolute, with its arguments. Default: what `toolgate install` recorded for this account. */
  command?: readonly string[];
  team?: Team;
  /** Milliseconds for one answer. */
  limit?: number;
}

export interface SessionOptions extends Options {
  /** The folder that the session works in. Default: the current one. */
  project?: string;
}

/** The gate could not answer. Whatever it was asked about is refused. */
export class GateFailure extends Error {}

/** A plugin for OpenCode. */
export function openCodePlugin(options?: Options): (input: any) => Promise<Record<string, (...given: any[]) => Promise<void>>>;

/** A plugin for Kilo CLI. */
export const kiloPlugin: typeof openCodePlugin;

/** Hooks for a plugin of Cline: `{ name, manifest: { capabilities: ["hooks"] }, setup, hooks }`. `place`: what `setup` was given. */
export function clineHooks(
  options?: Options & { place?: () => any },
): Record<"beforeRun" | "beforeTool" | "afterTool", (context: any) => Promise<any>>;

/** `options.hooks` of the Claude Agent SDK's `query`. */
export function claudeAgentHooks(options?: SessionOptions): Record<string, any[]>;

/** The arguments of the Copilot SDK's `createSession` and `resumeSession`. */
export function copilotHooks(
  options?: SessionOptions & { permission?: (request: any, invocation: any) => any },
): { hooks: Record<string, (input: any) => Promise<any>>; onPermissionRequest: (request: any, invocation: any) => Promise<any> };
