import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "../../../src/protocol/index.ts";
import { openStoredSessions, type Session, startSession } from "../../../src/session/index.ts";
import { type AnswerFunction, createScriptedModel, systemClock } from "../../../src/testing.ts";

/** A folder with sessions whose model runs the prompt as a command, and whose requests are kept. */
export interface TimeTravelPlace {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  open(resume?: string): Promise<Session>;
  /** Sends a prompt and waits until the session has nothing to do. */
  ask(session: Session, command: string): Promise<void>;
  /** The messages of the last request. */
  lastMessages(): readonly Message[];
  readonly stored: Awaited<ReturnType<typeof openStoredSessions>>;
  remove(): void;
}

export async function timeTravelPlace(): Promise<TimeTravelPlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-time-")));
  const cwd = join(root, "work");
  mkdirSync(cwd);
  const home = join(root, "home");
  mkdirSync(home);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TROUPE_HOME: join(home, ".troupe"),
    TROUPE_SANDBOX: "off",
  };
  const model = createScriptedModel(runPrompt, { clock: systemClock });
  return {
    cwd,
    home,
    env,
    open: (resume) =>
      startSession({
        cwd,
        env,
        flags: { permissionMode: "bypassPermissions" },
        asker: async () => ({ behavior: "deny", message: "no" }),
        model,
        isObservable: false,
        ...(resume !== undefined && { resume }),
      }),
    async ask(session, command) {
      const ack = await session.dispatch({ type: "prompt", content: command });
      if (!ack.ok) throw new Error(ack.message);
      await session.settled();
    },
    lastMessages: () => model.calls.at(-1)?.ask.request.messages ?? [],
    stored: await openStoredSessions({ cwd, env }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/**
 * Runs what the prompt says in the shell, then answers. A prompt that begins with `say` only gets an answer; one that
 * begins with `agent` runs in an agent with its own worktree.
 */
const runPrompt: AnswerFunction = ({ said, results }) => {
  if (results.length > 0 || said.startsWith("say")) return { text: `done: ${said}` };
  if (!said.startsWith("agent ")) return { calls: [{ tool: "Bash", input: { command: said } }] };
  const input = { description: "work", prompt: said.slice(6), subagent_type: "general-purpose", isolation: "worktree" };
  return { calls: [{ tool: "Agent", input }] };
};

/** Every file below a folder with its bytes, without `.git`. */
export const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => !/^\.git(\/|$)/.test(path) && lstatSync(join(folder, path)).isFile())
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), "latin1")]),
  );
