import type { Clock } from "../platform/index.ts";
import type { AgentId, AgentPath, CallId, ToolCallPart, ToolOutcome, ToolOutcomeKind } from "../protocol/index.ts";
import {
  type BoundOptions,
  boundOutcome,
  executeTool,
  parseInput,
  type Tool,
  type ToolContext,
} from "../tool/index.ts";
import { interruptedCall, callNotStarted } from "./fragments/interrupted.ts";
import { allowedWithNote } from "./fragments/denied.ts";
import { unknownTool } from "./fragments/unknown-tool.ts";
import { type AgentHooks, guardCall, appendHookFeedback } from "./hooks.ts";
import type { Permissions } from "./permissions.ts";
import type { Recorder } from "./recorder.ts";

export interface SettleCalls {
  readonly calls: readonly ToolCallPart[];
  readonly turn: number;
  readonly agent: { readonly id: AgentId; readonly path: AgentPath };
  readonly tools: ReadonlyMap<string, Tool>;
  readonly permissions: Permissions;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly hooks?: AgentHooks | undefined;
  readonly saveOutput: BoundOptions["save"];
  /** What must never get into a result, whatever it looks like. */
  readonly secrets?: readonly string[] | undefined;
  /** `input` is the very object that was judged. */
  contextFor(call: {
    callId: CallId;
    input: unknown;
    signal: AbortSignal;
    progress: (text: string) => void;
  }): ToolContext;
}

/** As many reads of one answer as this run side by side. */
const readsAtOnce = 10;

/** Gives every call exactly one result: reads side by side, everything else one after another in the model's order. */
export async function settleCalls(settle: SettleCalls): Promise<void> {
  for (const batch of batches(settle)) {
    await Promise.all(batch.map((call) => settleCall(settle, call)));
  }
}

function batches({ calls, tools }: SettleCalls): ToolCallPart[][] {
  const all: ToolCallPart[][] = [];
  let reads: ToolCallPart[] | undefined;
  let counted = 0;
  for (const call of calls) {
    const tool = tools.get(call.name);
    const reading = tool?.access === "read";
    const counts = tool?.onlyWaits ? 0 : 1;
    if (reading && reads && counted + counts <= readsAtOnce) reads.push(call);
    else {
      all.push((reads = [call]));
      counted = 0;
    }
    counted += counts;
    if (!reading) reads = undefined;
  }
  return all;
}

async function settleCall(settle: SettleCalls, call: ToolCallPart): Promise<void> {
  /** Waiting for permission is not the call's time. */
  let started = settle.clock.monotonic();
  const outcome = await outcomeOf(settle, call, () => {
    started = settle.clock.monotonic();
  });
  const durationMs = Math.max(0, Math.round(settle.clock.monotonic() - started));
  await settle.recorder.record({ type: "tool.settled", callId: call.callId, durationMs, ...outcome }, settle.signal);
}

async function outcomeOf(settle: SettleCalls, call: ToolCallPart, onStart: () => void): Promise<ToolOutcome> {
  const { signal, recorder, turn } = settle;
  if (signal.aborted) return told("interrupted", callNotStarted);
  const tool = settle.tools.get(call.name);
  if (!tool) return told("failed", unknownTool(call.name, [...settle.tools.keys()]));
  const parsed = parseInput(tool, call.input);
  if (!parsed.ok) return told("failed", parsed.message);

  const seen = { callId: call.callId, tool: tool.name, input: parsed.value };
  const guarded = await guardCall(settle.hooks, { tool, call: seen, signal });
  if (signal.aborted) return told("interrupted", callNotStarted);
  if ("denied" in guarded) return told("denied", guarded.denied);

  const { hook } = guarded;
  const permission = await settle.permissions.allow({ tool, input: guarded.input, call, signal, recorder, hook });
  if (permission.behavior === "deny") return told("denied", permission.message);
  if (signal.aborted) return told("interrupted", callNotStarted);

  const { input } = permission;
  const title = tool.title(input);
  await recorder.record({ type: "tool.called", turn, callId: call.callId, name: tool.name, input, title }, signal);
  const context = settle.contextFor({
    callId: call.callId,
    input,
    signal,
    progress: (text) => recorder.live({ type: "tool.progress", callId: call.callId, text }),
  });
  const before = context.cwd;
  onStart();
  const outcome = await executeTool(tool, input, context);
  if (context.cwd !== before) await recorder.record({ type: "agent.changed", cwd: context.cwd }, signal);
  if (outcome.outcome === "interrupted" && outcome.content.length === 0) return told("interrupted", interruptedCall);
  const bounded = await boundOutcome(outcome, {
    ...(tool.resultLimit !== undefined && { limit: tool.resultLimit }),
    ...(settle.secrets && { secrets: settle.secrets }),
    save: (name, data) => settle.saveOutput(`${call.callId}-${name}`, data),
  });
  const noted = withNote(bounded, permission.note);
  if (!settle.hooks || bounded.outcome !== "ok") return noted;
  return appendHookFeedback(noted, [
    hook?.context,
    ...(await settle.hooks.afterCall({ ...seen, input }, bounded, signal)),
  ]);
}

const withNote = (outcome: ToolOutcome, note: string | undefined): ToolOutcome =>
  note ? { ...outcome, content: [...outcome.content, { type: "text", text: allowedWithNote(note) }] } : outcome;

const told = (outcome: ToolOutcomeKind, text: string): ToolOutcome => ({ outcome, content: [{ type: "text", text }] });
