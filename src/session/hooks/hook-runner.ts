import { existsSync } from "node:fs";
import { type Clock, findExecutable, type ProcessScope } from "../../platform/index.ts";
import type { CallId, StoredEvent } from "../../protocol/index.ts";
import { type HookEvent, rulesOf } from "./hook-events.ts";
import { type HookVerdict, judgeHook } from "./hook-verdict.ts";
import type { Hook } from "./load-hooks.ts";
import { type HookRun, runHook } from "./run-hook.ts";

export interface HookRunnerPorts {
  readonly hooks: readonly Hook[];
  readonly processes: ProcessScope;
  /** The user's environment without the keys to models. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder the session was started in. */
  readonly projectFolder: string;
  /** Where the agent is now. */
  readonly cwd: () => string;
  /** What every hook is told. */
  readonly facts: () => Readonly<Record<string, unknown>>;
  /** Whether a rule may speak of a call. */
  readonly mayMatch: (rule: string, call: { tool: string; input: unknown }) => Promise<boolean>;
  readonly record: (event: StoredEvent) => Promise<void>;
  readonly clock: Clock;
}

export interface HookOccasion {
  /** What is peculiar to the event, by the names that hooks know. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly callId?: CallId | undefined;
  readonly signal: AbortSignal;
}

/** What the hooks of one occasion say together. */
export interface Verdicts {
  /** Deny wins over ask, ask over allow. */
  readonly decision?: HookVerdict["decision"];
  /** Of those that made the decision. */
  readonly reason?: string | undefined;
  readonly input?: HookVerdict["input"];
  readonly context: readonly string[];
  readonly stop?: string | undefined;
}

export interface HookRunner {
  /** Whether anything would run for this event at all. */
  has(event: HookEvent): boolean;
  run(event: HookEvent, occasion: HookOccasion): Promise<Verdicts>;
  /** Nobody waits for these, and nothing they say counts. */
  start(event: HookEvent, input: HookOccasion["input"]): void;
  /** Resolves when nothing runs in the background any more. */
  settled(): Promise<void>;
  /** Ends what runs in the background, and resolves when it has told how it went. */
  close(): Promise<void>;
}

const emptyVerdicts: Verdicts = { context: [] };

/** Runs the hooks that fit an occasion side by side, each command once, and says what came of them. */
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
      input: { ...ports.facts(), hook_event_name: hook.event, ...occasion.input },
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
    // Only a storage failure gets here: the agent's own next record meets it too, and `close` tells.
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
      closing.abort(new DOMException("the session ends", "AbortError"));
      await Promise.all(background);
    },
  };
}

/** The same command of two sources is one hook; if one of them guards, it does. */
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

/** What the user should hear: failures always, with what they meant; a no where it has no effect; and what the hook says. */
function messagesOf({ event, command, source, onFailure }: Hook, verdict: HookVerdict): string[] {
  const name = `the ${event} hook ${JSON.stringify(command.slice(0, 200))} of ${source}`;
  const meant =
    onFailure === "closed"
      ? `it counts as a no, because a hook that guards blocks when it fails (it can say "onFailure": "open")`
      : "went on without it";
  return [
    ...(verdict.failure === undefined ? [] : [`${name} failed: ${verdict.failure}; ${meant}`]),
    ...(verdict.outcome === "blocked" && !rulesOf(event).blocks ? [`${name} says: ${verdict.reason ?? ""}`] : []),
    ...(verdict.message === undefined ? [] : [`${name} says: ${verdict.message}`]),
    ...(verdict.stop === undefined ? [] : [`${name} stops the agent: ${verdict.stop}`]),
  ];
}
