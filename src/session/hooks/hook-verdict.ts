import { cleanText } from "../../tool/index.ts";
import { rulesOf } from "./hook-events.ts";
import { HookOutput } from "./hook-output.ts";
import type { Hook } from "./load-hooks.ts";
import type { HookRun } from "./run-hook.ts";

/** The result of one hook. */
export interface HookVerdict {
  readonly outcome: "passed" | "allowed" | "asked" | "blocked" | "failed" | "interrupted";
  /** The decision of the hook, or the consequence of its failure. */
  readonly decision?: "allow" | "ask" | "deny" | undefined;
  /** Tells the model why the hook denies. */
  readonly reason?: string | undefined;
  readonly input?: { readonly value: unknown } | undefined;
  readonly context?: string | undefined;
  /** The reason why the agent must stop after this event. */
  readonly stop?: string | undefined;
  /** A message to the user. */
  readonly message?: string | undefined;
  readonly failure?: string | undefined;
}

/** The maximum length of a hook's text for a model or a user. */
const textLimit = 10_000;

/**
 * Implements the table in `docs/reference/hooks.md`. Exit code 0 continues, with JSON output for finer control. Exit code 2
 * denies. Any other code, or invalid output that starts like JSON, is a failure. A failure denies if the hook fails
 * closed.
 */
export function judgeHook(hook: Hook, run: HookRun): HookVerdict {
  if (run.aborted) return { outcome: "interrupted" };
  if (run.fault !== undefined) return failed(hook, run.fault);
  if (run.exitCode === 2)
    return blocked(limitedText(run.stderr) || limitedText(run.stdout) || "The hook gave no reason.");
  if (run.exitCode !== 0) return failed(hook, exitText(run));
  const text = run.stdout.trim();
  if (!text.startsWith("{")) return { outcome: "passed", ...(rulesOf(hook.event).speaks && context(text)) };
  if (run.cut) return failed(hook, "it printed too much to parse as JSON");
  return judgeOutput(hook, text);
}

function judgeOutput(hook: Hook, text: string): HookVerdict {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return failed(hook, `its output starts like JSON but is invalid: ${(error as Error).message}`);
  }
  const parsed = HookOutput.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return failed(hook, `its output is invalid: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  const name = parsed.data.hookSpecificOutput?.hookEventName;
  if (name !== undefined && name !== hook.event)
    return failed(hook, `its output has the hookEventName ${limitedText(name)}`);
  return fromOutput(parsed.data);
}

function fromOutput(output: HookOutput): HookVerdict {
  const { hookSpecificOutput: specific = {}, systemMessage } = output;
  const answer = specific.decision;
  const decision = answer?.behavior ?? specific.permissionDecision ?? legacy(output.decision);
  const reason = answer?.message ?? specific.permissionDecisionReason ?? output.reason;
  const input = answer?.updatedInput ?? specific.updatedInput;
  const stops = output.continue === false || answer?.interrupt === true;
  return {
    outcome: decision === undefined ? "passed" : outcomes[decision],
    decision,
    ...(reason !== undefined && { reason: limitedText(reason) }),
    ...(input !== undefined && { input: { value: input } }),
    ...context(specific.additionalContext ?? specific.worktreePath ?? ""),
    ...(stops && { stop: limitedText(output.stopReason ?? reason ?? "") || "a hook stopped the agent" }),
    ...(systemMessage !== undefined && { message: limitedText(systemMessage) }),
  };
}

const outcomes = { allow: "allowed", ask: "asked", deny: "blocked" } as const;

const legacy = (decision: "approve" | "block" | undefined) =>
  decision && ({ approve: "allow", block: "deny" } as const)[decision];

const blocked = (reason: string): HookVerdict => ({ outcome: "blocked", decision: "deny", reason });

function failed(hook: Hook, failure: string): HookVerdict {
  if (hook.onFailure === "open") return { outcome: "failed", failure };
  const reason = `The hook failed (${failure}), and this hook denies when it fails.`;
  return { outcome: "failed", failure, decision: "deny", reason };
}

function exitText({ exitCode, stderr }: HookRun): string {
  const [line = ""] = limitedText(stderr).split("\n", 1);
  const known = exitCode === 127 ? " (no such command)" : exitCode === 126 ? " (cannot be executed)" : "";
  return `exit code ${exitCode}${known}${line === "" ? "" : `: ${line.slice(0, 300)}`}`;
}

const context = (text: string) => (text.trim() === "" ? {} : { context: limitedText(text) });

function limitedText(text: string): string {
  const clean = cleanText(text).trim();
  return clean.length <= textLimit ? clean : `${clean.slice(0, textLimit)}\n[cut: ${clean.length} characters in total]`;
}
