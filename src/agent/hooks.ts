import type { AnswerPart, CallId, PermissionDecision, PromptId, ToolOutcome } from "../protocol/index.ts";
import { type CreateId, redactSecrets } from "../platform/index.ts";
import { type Tool, parseInput } from "../tool/index.ts";
import { deniedByHook, hookFeedback, invalidRewrite, sentBackByHook } from "./fragments/calls/hook-feedback.ts";
import type { Recorder } from "./recorder.ts";

/** A call as hooks see it. */
export interface HookedCall {
  readonly callId: CallId;
  readonly tool: string;
  readonly input: unknown;
}

/** The combined result of all hooks before a call. */
export interface BeforeCall {
  /** `none`: the rules and the mode decide. */
  readonly verdict: "none" | "allow" | "ask" | "deny";
  readonly reason?: string | undefined;
  /** Replaces the call's input; not validated yet. */
  readonly input?: { readonly value: unknown } | undefined;
  /** Text for the model, added to the result. */
  readonly context?: string | undefined;
}

/** An answer in place of the user's. */
export type HookAnswer =
  | { readonly behavior: "allow"; readonly input?: { readonly value: unknown } | undefined }
  | { readonly behavior: "deny"; readonly message: string };

/**
 * The user's own commands at fixed points of an agent's run. None of these methods reject because a hook failed: the
 * code that runs hooks decides what that means. They settle soon after `signal` aborts; their results then have no
 * effect.
 */
export interface AgentHooks {
  beforeCall(call: HookedCall, signal: AbortSignal): Promise<BeforeCall>;
  /** Text for the model, added to the result. */
  afterCall(call: HookedCall, outcome: ToolOutcome, signal: AbortSignal): Promise<readonly string[]>;
  /** Undefined if the user is to be asked. */
  beforeAsking(
    call: HookedCall & { readonly suggestions: readonly string[] },
    signal: AbortSignal,
  ): Promise<HookAnswer | undefined>;
  /** Announces a question; its result is not awaited. */
  asking(question: string): void;
  /** The reason why the agent should not stop yet. `again`: a hook has already sent it back in this run. */
  beforeStop(
    stop: { readonly lastWords: string; readonly again: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** The reason why the conversation should not be compacted now. */
  beforeCompaction(
    compaction: { readonly trigger: "limit" | "overflow" | "asked"; readonly instructions: string | undefined },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** The reason why a hook wants the agent to stop after its current calls. Reading it clears it. */
  takeStop(): string | undefined;
}

export type GuardedCall =
  | { readonly denied: string }
  /** `input` has passed the tool's schema, whether the model or a hook wrote it. The policy has not checked it yet. */
  | { readonly input: unknown; readonly hook: BeforeCall | undefined };

/** Shows a call to the hooks before any decision about it. */
export async function guardCall(
  hooks: AgentHooks | undefined,
  { tool, call, signal }: { tool: Tool; call: HookedCall; signal: AbortSignal },
): Promise<GuardedCall> {
  const hook = await hooks?.beforeCall(call, signal);
  if (hook?.verdict === "deny") return { denied: deniedByHook(hook.reason ?? "It gave no reason.") };
  if (!hook?.input) return { input: call.input, hook };
  const parsed = parseInput(tool, hook.input.value);
  return parsed.ok ? { input: parsed.value, hook } : { denied: deniedByHook(invalidRewrite(parsed.message)) };
}

/**
 * Combines the policy's decision with a hook's verdict. A hook can force a question for any call. Its `allow` skips
 * only a question that comes from the mode: denials and questions of a rule or a guard stay.
 */
export function applyHookVerdict(
  decision: PermissionDecision,
  { verdict, reason, title }: Pick<BeforeCall, "verdict" | "reason"> & { title: string },
): PermissionDecision {
  if (verdict === "ask" && decision.behavior === "allow") {
    const why = reason ? `${reason} ` : "";
    const place = decision.place && { place: decision.place };
    return { behavior: "ask", rule: "hook", question: `${why}Allow ${title}?`, suggestions: [], ...place };
  }
  if (verdict === "allow" && decision.behavior === "ask" && decision.rule.startsWith("mode ")) {
    return { behavior: "allow", rule: "hook", ...(decision.place && { place: { walls: "work", git: true } }) };
  }
  return decision;
}

export function appendHookFeedback(outcome: ToolOutcome, texts: readonly (string | undefined)[]): ToolOutcome {
  const feedback = texts.filter((text) => text !== undefined);
  if (feedback.length === 0) return outcome;
  const parts = feedback.map((text) => ({ type: "text" as const, text: hookFeedback(redactSecrets(text)) }));
  return { ...outcome, content: [...outcome.content, ...parts] };
}

/** How often hooks may send one run back to work before it may end anyway. */
const maxTimesSentBack = 10;

export interface SendBackRequest {
  readonly hooks?: AgentHooks | undefined;
  readonly parts: readonly AnswerPart[];
  /** How often hooks have sent this run back. */
  readonly times: number;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly createId: CreateId;
}

/** Returns true if a hook sends the agent back to work. The hook's reason is admitted as a prompt. */
export async function sendBackToWork({
  hooks,
  parts,
  times,
  recorder,
  signal,
  createId,
}: SendBackRequest): Promise<boolean> {
  if (!hooks || signal.aborted) return false;
  const lastWords = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const why = await hooks.beforeStop({ lastWords, again: times > 0 }, signal);
  if (why === undefined || signal.aborted) return false;
  if (times >= maxTimesSentBack) {
    const message = `hooks have sent the agent back to work ${times} times: the agent may stop now anyway`;
    await recorder.record({ type: "notice.raised", level: "warning", code: "hook", message });
    return false;
  }
  const content = [{ type: "text" as const, text: sentBackByHook(why) }];
  const promptId = createId<PromptId>("prm");
  await recorder.record({ type: "prompt.admitted", promptId, source: "hook", parts: content }, signal);
  return true;
}
