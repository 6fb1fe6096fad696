import { redactSecrets } from "../../platform/index.ts";
import { type AgentHooks, hookContext } from "../../agent/index.ts";
import type { ContentPart, PermissionMode } from "../../protocol/index.ts";
import { createAgentHooks } from "./agent-hooks.ts";
import { createHookRunner, type HookRunnerPorts } from "./hook-runner.ts";
import type { Hook } from "./load-hooks.ts";
import { createTeamHooks, type TeamHooks } from "./team-hooks.ts";

/** The hooks of a session and of its agents. */
export interface SessionHooks extends TeamHooks {
  readonly agent: AgentHooks;
  /** Does not wait. The output of these hooks goes with the first prompt, which waits for them. */
  started(source: "startup" | "resume"): void;
  /** Runs the `SubagentStart` hooks and returns their messages for the subagent. */
  spawned(): Promise<readonly ContentPart[]>;
  /** True if a hook creates the worktrees. */
  readonly makesWorktrees: boolean;
  /** Runs the hook that creates a worktree. Returns its output, or the reason of its refusal. */
  makeWorktree(
    input: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<{ readonly printed: string } | { readonly refused: string }>;
  /** Runs the hooks for a removed worktree. */
  worktreeRemoved(input: Readonly<Record<string, unknown>>): Promise<void>;
  /** Returns the user's prompt with the additions of hooks, or the reason why a hook blocked it. */
  submitted(parts: readonly ContentPart[]): Promise<{ parts: readonly ContentPart[] } | { blocked: string }>;
  /** Resolves when no background hook is running. */
  settled(): Promise<void>;
  /** For an agent that ends before its session: stops running hooks and runs no `SessionEnd` hooks. */
  stop(): Promise<void>;
  /** Runs the `SessionEnd` hooks. After this resolves, no hook records anything. */
  ended(outcome: "completed" | "interrupted" | "failed"): Promise<void>;
}

export interface SessionHookPorts extends Omit<HookRunnerPorts, "hooks"> {
  readonly mode: () => PermissionMode;
  readonly model: () => string;
  /** The subagent's type; undefined for the lead. */
  readonly subagent?: string | undefined;
}

export function createSessionHooks(hooks: readonly Hook[], ports: SessionHookPorts): SessionHooks {
  const runner = createHookRunner({ ...ports, hooks });
  const open = new AbortController();
  /** The output of `SessionStart` hooks that no prompt has included yet. */
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
      // The first prompt, or `ended`, reports a failure. Until then it counts as handled.
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
        return { refused: said.reason ?? said.stop ?? "The hook gave no reason." };
      return { printed: said.context.join("\n") };
    },
    async worktreeRemoved(input) {
      if (runner.has("WorktreeRemove")) await runner.run("WorktreeRemove", { input, signal: open.signal });
    },
    submitted(parts) {
      // In sequence, so that prompts keep their order.
      const settled = last.then(() => submit(parts));
      last = settled.then(
        () => undefined,
        () => undefined,
      );
      return settled;
    },
    settled: () => runner.settled(),
    async stop() {
      open.abort(new DOMException("the agent has ended", "AbortError"));
      await runner.close();
    },
    async ended(outcome) {
      open.abort(new DOMException("the session is closing", "AbortError"));
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
      return { blocked: `a hook blocked the prompt: ${said.reason ?? said.stop ?? "no reason given"}` };
    }
    starting = Promise.resolve([]);
    return { parts: [...atStart, ...parts, ...said.context.map((text) => asPart("UserPromptSubmit", text))] };
  }
}

const asPart = (event: string, text: string): ContentPart => ({
  type: "text",
  text: hookContext(event, redactSecrets(text)),
});
