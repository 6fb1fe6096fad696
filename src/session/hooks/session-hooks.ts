import { redactSecrets } from "../../platform/index.ts";
import { type AgentHooks, hookContext } from "../../agent/index.ts";
import type { ContentPart, PermissionMode } from "../../protocol/index.ts";
import { createAgentHooks } from "./agent-hooks.ts";
import { createHookRunner, type HookRunnerPorts } from "./hook-runner.ts";
import type { Hook } from "./load-hooks.ts";
import { createTeamHooks, type TeamHooks } from "./team-hooks.ts";

/** The hooks of a session: its own moments, and its agents'. */
export interface SessionHooks extends TeamHooks {
  readonly agent: AgentHooks;
  /** Does not wait: what they say goes with the first prompt, which does. */
  started(source: "startup" | "resume"): void;
  /** What the hooks of a sub-agent's start have to say to it. */
  spawned(): Promise<readonly ContentPart[]>;
  /** Whether worktrees are made by a hook. */
  readonly makesWorktrees: boolean;
  /** Has the hook make a worktree, and gives what it printed; or why there is none. */
  makeWorktree(
    input: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<{ readonly printed: string } | { readonly refused: string }>;
  /** Tells hooks of a worktree that is gone. */
  worktreeRemoved(input: Readonly<Record<string, unknown>>): Promise<void>;
  /** What the user says, with what hooks add to it; or why it is not to be said. */
  submitted(parts: readonly ContentPart[]): Promise<{ parts: readonly ContentPart[] } | { blocked: string }>;
  /** Resolves when nothing that nobody waits for runs any more. */
  settled(): Promise<void>;
  /** For an agent that goes before its session does: ends what still runs, and no hook hears of it. */
  stop(): Promise<void>;
  /** Runs the last hooks. Nothing of a hook is told after this has resolved. */
  ended(outcome: "completed" | "interrupted" | "failed"): Promise<void>;
}

export interface SessionHookPorts extends Omit<HookRunnerPorts, "hooks"> {
  readonly mode: () => PermissionMode;
  readonly model: () => string;
  /** The type of a sub-agent; undefined for the lead. */
  readonly subagent?: string | undefined;
}

export function createSessionHooks(hooks: readonly Hook[], ports: SessionHookPorts): SessionHooks {
  const runner = createHookRunner({ ...ports, hooks });
  const open = new AbortController();
  /** What the hooks of the start have said and nobody was told yet. */
  let starting: Promise<readonly ContentPart[]> = Promise.resolve([]);
  let last: Promise<void> = Promise.resolve();

  return {
    agent: createAgentHooks(runner, ports),
    ...createTeamHooks(runner, open.signal),
    started(source) {
      const input = { source, model: ports.model() };
      starting = runner
        .run("SessionStart", { input, signal: open.signal })
        .then(({ context }) => context.map((text) => asPart("SessionStart", text)));
      // Whoever speaks first, or closes, hears of a failure; until then it is nobody's.
      starting.catch(() => undefined);
    },
    async spawned() {
      if (!runner.has("SubagentStart")) return [];
      const { context } = await runner.run("SubagentStart", {
        input: { agent_type: ports.subagent ?? "" },
        signal: open.signal,
      });
      return context.map((text) => asPart("SubagentStart", text));
    },
    makesWorktrees: runner.has("WorktreeCreate"),
    async makeWorktree(input, signal = open.signal) {
      const until = AbortSignal.any([signal, open.signal]);
      const said = await runner.run("WorktreeCreate", { input, signal: until });
      until.throwIfAborted();
      if (said.decision === "deny" || said.stop !== undefined)
        return { refused: said.reason ?? said.stop ?? "It gave no reason." };
      return { printed: said.context.join("\n") };
    },
    async worktreeRemoved(input) {
      if (runner.has("WorktreeRemove")) await runner.run("WorktreeRemove", { input, signal: open.signal });
    },
    submitted(parts) {
      // One after another, so that prompts stay in the order in which they were sent.
      const settled = last.then(() => submit(parts));
      last = settled.then(
        () => undefined,
        () => undefined,
      );
      return settled;
    },
    settled: () => runner.settled(),
    async stop() {
      open.abort(new DOMException("the agent's work has ended", "AbortError"));
      await runner.close();
    },
    async ended(outcome) {
      open.abort(new DOMException("the session ends", "AbortError"));
      await Promise.all([starting, last]);
      const input = { reason: "other", outcome };
      await runner.run("SessionEnd", { input, signal: new AbortController().signal });
      await runner.close();
    },
  };

  async function submit(parts: readonly ContentPart[]): ReturnType<SessionHooks["submitted"]> {
    const atStart = await starting;
    const prompt = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    const said = await runner.run("UserPromptSubmit", { input: { prompt }, signal: open.signal });
    if (open.signal.aborted) return { blocked: "the session is closing" };
    if (said.decision === "deny" || said.stop !== undefined) {
      return { blocked: `a hook blocked the prompt: ${said.reason ?? said.stop ?? "it gave no reason"}` };
    }
    starting = Promise.resolve([]);
    return { parts: [...atStart, ...parts, ...said.context.map((text) => asPart("UserPromptSubmit", text))] };
  }
}

const asPart = (event: string, text: string): ContentPart => ({
  type: "text",
  text: hookContext(event, redactSecrets(text)),
});
