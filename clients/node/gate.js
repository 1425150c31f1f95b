// Asks the gate: one process of `toolgate-hook` for each call. Whatever goes wrong with it is a GateFailure, never an answer.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** Milliseconds. The gate itself answers within eight seconds. */
export const LIMIT = 9000;
const MOST_BYTES = 64 * 1024 * 1024;

export class GateFailure extends Error {
  constructor(problem) {
    super(`toolgate could not judge this (${problem}), so it is refused; on a terminal, run: toolgate doctor`);
    this.name = "GateFailure";
  }
}

/**
 * Returns ask(event, payload), which resolves to {answer, refusal}: the object that the gate printed, or null, and why it refused
 * by its exit code, or "". It rejects with GateFailure for everything else.
 */
export function openGate({ host, command, team = {}, environment = {}, limit = LIMIT }) {
  const words = [...(command ?? recordedCommand()), ...teamWords(team), host];
  if (!path.isAbsolute(words[0])) {
    throw new TypeError(`the hook command ${JSON.stringify(words[0])} is not an absolute path`);
  }
  const variables = { ...environment, ...teamVariables(team) };
  return async (event, payload) => read(await run([...words, event], text(payload), variables, limit));
}

/** The command that `toolgate install` recorded for this account. Throws GateFailure where none is recorded. */
export function recordedCommand(environment = process.env) {
  const file = path.join(stateFolder(environment), "hook-command.json");
  let words;
  try {
    words = JSON.parse(readFileSync(file, "utf8"));
  } catch (problem) {
    throw new GateFailure(`${file}: ${problem.message}; run toolgate install HOST, or give \`command\``);
  }
  if (!Array.isArray(words) || words.length === 0 || !words.every((word) => typeof word === "string")) {
    throw new GateFailure(`${file} does not hold a list of words`);
  }
  return words;
}

function stateFolder({ TOOLGATE_HOME: moved, XDG_STATE_HOME: xdg, HOME: home }) {
  if (moved && path.isAbsolute(moved)) return path.join(moved, "state");
  return path.join(xdg && path.isAbsolute(xdg) ? xdg : path.join(home || homedir(), ".local", "state"), "toolgate");
}

function teamWords({ agent, role, phase }) {
  const given = { TOOLGATE_AGENT: agent, TOOLGATE_ROLE: role, TOOLGATE_PHASE: phase };
  return Object.entries(given).filter(([, value]) => value).map(([name, value]) => `${name}=${value}`);
}

function teamVariables({ reads, writes }) {
  const lists = Object.entries({ TOOLGATE_READS: reads, TOOLGATE_WRITES: writes }).filter(([, list]) => list !== undefined);
  return Object.fromEntries(lists.map(([name, list]) => [name, globs(name, list)]));
}

function globs(name, list) {
  const isGlob = (each) => typeof each === "string" && each.trim() !== "" && !/[:\0]/.test(each);
  if (!Array.isArray(list) || list.length === 0 || !list.every(isGlob)) throw new TypeError(`${name} is not a list of paths`);
  return list.join(":");
}

function text(payload) {
  try {
    return JSON.stringify(payload);
  } catch (problem) {
    throw new GateFailure(`the call is not JSON: ${problem.message}`);
  }
}

function run([program, ...words], input, environment, limit) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      env: { ...process.env, ...environment },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    const fail = (problem) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new GateFailure(problem));
    };
    const timer = setTimeout(() => fail(`no answer within ${limit} ms`), limit);
    const output = collect(child.stdout, fail);
    const errors = collect(child.stderr, fail);
    child.on("error", (problem) => fail(problem.message));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (signal) return fail(`it was ended by ${signal}`);
      return resolve({ code, output: output(), errors: errors() });
    });
    child.stdin.on("error", () => {}); // a gate that does not read its input says so by its exit code
    child.stdin.end(input);
  });
}

function collect(stream, fail) {
  const chunks = [];
  let size = 0;
  stream.on("data", (chunk) => {
    size += chunk.length;
    if (size > MOST_BYTES) return fail("its answer is too long");
    return chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

function read({ code, output, errors }) {
  if (code !== 0 && code !== 2) throw new GateFailure(`exit code ${code}`);
  const refusal = code === 2 ? errors.trim() || "toolgate stopped this and gave no reason" : "";
  if (output.trim() === "") return { answer: null, refusal };
  let answer;
  try {
    answer = JSON.parse(output);
  } catch {
    throw new GateFailure("its answer is not JSON");
  }
  if (answer === null || typeof answer !== "object" || Array.isArray(answer)) throw new GateFailure("its answer is not an object");
  return { answer, refusal };
}
