import type { AnswerPart, CallId, PermissionDecision, PromptId, ToolOutcome } from "../protocol/index.ts";
import { type CreateId, redactSecrets } from "../platform/index.ts";
import { type Tool, parseInput } from "../tool/index.ts";
import { deniedByHook, hookFeedback, invalidRewrite, sentBackByHook } from "./fragments/calls/hook-feedback.ts";
import type { Recorder } from "./recorder.ts";

/** A call as a hook is told of it. */
export interface HookedCall {
  readonly callId: CallId;
  readonly tool: string;
  readonly input: unknown;
}

/** What the hooks before a call make of it, all of them together. */
export interface BeforeCall {
  /** `none`: they leave it to the rules and the mode. */
  readonly verdict: "none" | "allow" | "ask" | "deny";
  readonly reason?: string | undefined;
  /** In the place of the call's input; nobody has checked it yet. */
  readonly input?: { readonly value: unknown } | undefined;
  /** Words for the model, to go with the result. */
  readonly context?: string | undefined;
}

/** An answer in the place of the user's. */
export type HookAnswer =
  | { readonly behavior: "allow"; readonly input?: { readonly value: unknown } | undefined }
  | { readonly behavior: "deny"; readonly message: string };

/**
 * The user's own commands, at the moments of an agent's life where they have a say. None of these reject because a hook
 * went wrong: what that means is decided where hooks are run. They settle soon after `signal` aborts; then nothing they
 * say counts.
 */
export interface AgentHooks {
  beforeCall(call: HookedCall, signal: AbortSignal): Promise<BeforeCall>;
  /** Words for the model, to go with the result. */
  afterCall(call: HookedCall, outcome: ToolOutcome, signal: AbortSignal): Promise<readonly string[]>;
  /** Undefined: whoever is there is asked. */
  beforeAsking(
    call: HookedCall & { readonly suggestions: readonly string[] },
    signal: AbortSignal,
  ): Promise<HookAnswer | undefined>;
  /** Somebody is being asked; nothing waits for what comes of it. */
  asking(question: string): void;
  /** Why the agent should not stop yet. `again`: it was sent back to work before, since it was last spoken to. */
  beforeStop(
    stop: { readonly lastWords: string; readonly again: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** Why the conversation should not be shortened now. */
  beforeCompaction(
    compaction: { readonly trigger: "limit" | "overflow" | "asked"; readonly instructions: string | undefined },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** Why a hook wants the agent to stop after what it is doing; asked once, then forgotten. */
  takeStop(): string | undefined;
}

export type GuardedCall =
  | { readonly denied: string }
  /** `input` has passed the tool's schema, whoever wrote it; the policy has not seen it yet. */
  | { readonly input: unknown; readonly hook: BeforeCall | undefined };

/** Shows a call to the hooks before anything is decided about it. */
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
 * What the policy's decision becomes under a hook's verdict. A hook can make any call be asked about. Its `allow` lifts only
 * a question that nobody asked for but the mode: what a rule or a guard of the policy denies or asks stays so.
 */
export function applyHookVerdict(
  decision: PermissionDecision,
  { verdict, reason, title }: Pick<BeforeCall, "verdict" | "reason"> & { title: string },
): PermissionDecision {
  if (verdict === "ask" && decision.behavior === "allow") {
    const why = reason ? `${reason} ` : "";
    return { behavior: "ask", rule: "hook", question: `${why}Allow ${title}?`, suggestions: [] };
  }
  if (verdict === "allow" && decision.behavior === "ask" && decision.rule.startsWith("mode ")) {
    return { behavior: "allow", rule: "hook" };
  }
  return decision;
}

/** Puts what hooks have to say at the end of what the model reads of a call. */
export function appendHookFeedback(outcome: ToolOutcome, texts: readonly (string | undefined)[]): ToolOutcome {
  const feedback = texts.filter((text) => text !== undefined);
  if (feedback.length === 0) return outcome;
  const parts = feedback.map((text) => ({ type: "text" as const, text: hookFeedback(redactSecrets(text)) }));
  return { ...outcome, content: [...outcome.content, ...parts] };
}

/** How often one run may be sent back to work before its end is believed. */
const maxTimesSentBack = 10;

export interface SendBackRequest {
  readonly hooks?: AgentHooks | undefined;
  readonly parts: readonly AnswerPart[];
  /** How often it has happened in this run. */
  readonly times: number;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly createId: CreateId;
}

/** Whether a hook has sent the agent back to work: what it says then waits to be put into the conversation. */
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
    const message = `a hook has sent the agent back to work ${times} times: it may stop now all the same`;
    await recorder.record({ type: "notice.raised", level: "warning", code: "hook", message });
    return false;
  }
  const content = [{ type: "text" as const, text: sentBackByHook(why) }];
  const promptId = createId<PromptId>("prm");
  await recorder.record({ type: "prompt.admitted", promptId, source: "hook", parts: content }, signal);
  return true;
}
