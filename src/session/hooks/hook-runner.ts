import { existsSync } from "node:fs";
import { type Clock, findExecutable, type ProcessScope } from "../../platform/index.ts";
import type { CallId, StoredEvent } from "../../protocol/index.ts";
import { type HookEvent, rulesOf } from "./hook-events.ts";
import { buildHookInput } from "./hook-input.ts";
import { type HookVerdict, judgeHook } from "./hook-verdict.ts";
import type { Hook } from "./load-hooks.ts";
import { type HookRun, runHook } from "./run-hook.ts";

export interface HookRunnerPorts {
  readonly hooks: readonly Hook[];
  readonly processes: ProcessScope;
  /** The user's environment without model keys. */
  readonly env: Readonly<Record<string, string>>;
  readonly projectFolder: string;
  /** The agent's current folder. */
  readonly cwd: () => string;
  /** Input fields that every hook gets. */
  readonly facts: () => Readonly<Record<string, unknown>>;
  /** True if a rule may match a call. */
  readonly mayMatch: (rule: string, call: { tool: string; input: unknown }) => Promise<boolean>;
  readonly record: (event: StoredEvent) => Promise<void>;
  readonly clock: Clock;
}

export interface HookOccasion {
  /** The input fields of this event, with the names that hooks expect. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly callId?: CallId | undefined;
  readonly signal: AbortSignal;
}

/** The combined verdict of all hooks of one event. */
export interface Verdicts {
  /** Deny wins over ask, ask wins over allow. */
  readonly decision?: HookVerdict["decision"];
  /** The reasons of the hooks that made the decision. */
  readonly reason?: string | undefined;
  readonly input?: HookVerdict["input"];
  readonly context: readonly string[];
  readonly stop?: string | undefined;
}

export interface HookRunner {
  /** True if at least one hook is configured for this event. */
  has(event: HookEvent): boolean;
  run(event: HookEvent, occasion: HookOccasion): Promise<Verdicts>;
  /** Runs hooks in the background and ignores their verdicts. */
  start(event: HookEvent, input: HookOccasion["input"]): void;
  /** Resolves when no background hook is running. */
  settled(): Promise<void>;
  /** Stops the background hooks. Resolves when their outcomes are recorded. */
  close(): Promise<void>;
}

const emptyVerdicts: Verdicts = { context: [] };

/** Runs all matching hooks of an event in parallel, each command once, and combines their verdicts. */
export function createHookRunner(ports: HookRunnerPorts): HookRunner {
  const closing = new AbortController();
  const background = new Set<Promise<unknown>>();
  let shell: Promise<string> | undefined;

  const runOne = async (hook: Hook, occasion: HookOccasion): Promise<HookVerdict> => {
    shell ??= findExecutable("bash", ports.env["PATH"]).then((bash) => bash ?? "/bin/sh");
    const projectFolder = hook.folder ?? ports.projectFolder;
    const cwd = ports.cwd();
    const run = await runHook(hook, {
      ...ports,
      shell: await shell,
      cwd: existsSync(cwd) ? cwd : projectFolder,
      projectFolder,
      input: buildHookInput(hook.event, ports.facts(), occasion.input),
      signal: occasion.signal,
    });
    const verdict = judgeHook(hook, run);
    await recordRun(hook, verdict, { run, callId: occasion.callId });
    return verdict;
  };

  const recordRun = async (
    hook: Hook,
    verdict: HookVerdict,
    { run, callId }: { run: HookRun; callId?: CallId | undefined },
  ) => {
    const { event, source } = hook;
    const command = hook.command.slice(0, 500);
    const detail = verdict.failure ?? verdict.reason ?? verdict.context;
    await ports.record({
      type: "hook.ran",
      hook: event,
      command,
      source,
      outcome: verdict.outcome,
      exitCode: run.exitCode,
      durationMs: run.durationMs,
      ...(callId !== undefined && { callId }),
      ...(detail !== undefined && { detail: detail.slice(0, 1_000) }),
    });
    for (const message of messagesOf(hook, verdict)) {
      await ports.record({ type: "notice.raised", level: "warning", code: "hook", message });
    }
  };

  const runInBackground = (running: Promise<unknown>) => {
    background.add(running);
    // Only storage errors arrive here. The agent's next record fails with the same error, and `close` reports it.
    running.then(
      () => background.delete(running),
      () => undefined,
    );
  };

  return {
    has: (event) => ports.hooks.some((hook) => hook.event === event),
    async run(event, occasion) {
      const { subject, alone } = rulesOf(event);
      const about = subject === undefined ? "" : String(occasion.input[subject]);
      const matching = ports.hooks.filter((hook) => hook.event === event && hook.matches(about));
      const call = { tool: about, input: occasion.input["tool_input"] };
      const holds = await Promise.all(
        matching.map(async ({ condition }) => condition === undefined || ports.mayMatch(condition, call)),
      );
      const fitting = uniqueHooks(matching.filter((_, index) => holds[index])).slice(0, alone ? 1 : undefined);
      if (fitting.length === 0) return emptyVerdicts;
      const apart = fitting.filter((each) => each.background);
      for (const hook of apart) runInBackground(runOne(hook, { ...occasion, signal: closing.signal }));
      return mergeVerdicts(
        await Promise.all(fitting.filter((each) => !each.background).map((hook) => runOne(hook, occasion))),
      );
    },
    start(event, input) {
      runInBackground(this.run(event, { input, signal: closing.signal }));
    },
    async settled() {
      while (background.size > 0) await Promise.all(background);
    },
    async close() {
      closing.abort(new DOMException("the session is closing", "AbortError"));
      await Promise.all(background);
    },
  };
}

/** Merges hooks with the same command. A merged hook fails closed if one of them does. */
function uniqueHooks(hooks: readonly Hook[]): Hook[] {
  const kept = new Map<string, Hook>();
  for (const hook of hooks) {
    const key = JSON.stringify([hook.command, hook.folder]);
    const known = kept.get(key);
    if (!known) kept.set(key, hook);
    else if (hook.onFailure === "closed") kept.set(key, { ...known, onFailure: "closed" });
  }
  return [...kept.values()];
}

function mergeVerdicts(verdicts: readonly HookVerdict[]): Verdicts {
  const decision = (["deny", "ask", "allow"] as const).find((each) =>
    verdicts.some((verdict) => verdict.decision === each),
  );
  const reasons = verdicts.flatMap((verdict) => (verdict.decision === decision ? (verdict.reason ?? []) : []));
  return {
    decision,
    ...(reasons.length > 0 && { reason: reasons.join("\n") }),
    input: verdicts.find((verdict) => verdict.input)?.input,
    context: verdicts.flatMap((verdict) => verdict.context ?? []),
    stop: verdicts.find((verdict) => verdict.stop !== undefined)?.stop,
  };
}

/**
 * Messages for the user: each failure and its consequence, a denial that has no effect, and the hook's own messages.
 */
function messagesOf({ event, command, source, onFailure }: Hook, verdict: HookVerdict): string[] {
  const name = `the ${event} hook ${JSON.stringify(command.slice(0, 200))} from ${source}`;
  const meant =
    onFailure === "closed"
      ? `this counts as a denial, because this hook fails closed (set "onFailure": "open" to change that)`
      : "it is ignored";
  return [
    ...(verdict.failure === undefined ? [] : [`${name} failed: ${verdict.failure}; ${meant}`]),
    ...(verdict.outcome === "blocked" && !rulesOf(event).blocks ? [`${name} says: ${verdict.reason ?? ""}`] : []),
    ...(verdict.message === undefined ? [] : [`${name} says: ${verdict.message}`]),
    ...(verdict.stop === undefined ? [] : [`${name} stops the agent: ${verdict.stop}`]),
  ];
}
