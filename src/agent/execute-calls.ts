import type { Clock } from "../platform/index.ts";
import type {
  AgentId,
  AgentPath,
  CallId,
  CommandPlace,
  ToolCallPart,
  ToolOutcome,
  ToolOutcomeKind,
} from "../protocol/index.ts";
import {
  type BoundOptions,
  boundOutcome,
  editingTools,
  executeTool,
  parseModelInput,
  type Tool,
  type ToolContext,
} from "../tool/index.ts";
import { interruptedCall, callNotStarted, notRunAfterFailedChange } from "./fragments/calls/interrupted-call.ts";
import {
  allowedWithNote,
  type ApprovalNote,
  changedOutside,
  readInMainCheckout,
} from "./fragments/calls/denied-call.ts";
import { unknownTool } from "./fragments/calls/unknown-tool.ts";
import { type AgentHooks, guardCall, appendHookFeedback } from "./hooks.ts";
import type { Allowance, Permissions } from "./permissions.ts";
import type { Recorder } from "./recorder.ts";

export interface ExecuteCallsOptions {
  readonly calls: readonly ToolCallPart[];
  readonly turn: number;
  readonly agent: { readonly id: AgentId; readonly path: AgentPath };
  readonly tools: ReadonlyMap<string, Tool>;
  readonly permissions: Permissions;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly hooks?: AgentHooks | undefined;
  /** Awaited before a call that may change files. It must not reject. */
  readonly beforeChange?: (() => Promise<void> | undefined) | undefined;
  readonly saveOutput: BoundOptions["save"];
  /** Values that must never appear in a result. */
  readonly secrets?: readonly string[] | undefined;
  /** `input` is the same object that was checked. */
  contextFor(call: {
    callId: CallId;
    input: unknown;
    /** Where a command runs. */
    place: CommandPlace | undefined;
    signal: AbortSignal;
    progress: (text: string) => void;
  }): ToolContext;
}

/** How many reads of one answer run in parallel. */
const maxParallelReads = 10;

/**
 * Gives every call exactly one result. Reads run in parallel; all other calls run one after another, in the model's
 * order. After a change to a file that failed, only reads and other changes run: a commit or a completed task would
 * build on a change that was not made.
 */
export async function executeCalls(options: ExecuteCallsOptions): Promise<void> {
  let failedChange: ToolCallPart | undefined;
  for (const batch of batches(options)) {
    await Promise.all(
      batch.map(async (call) => {
        const tool = findTool(options.tools, call.name);
        const changes = tool !== undefined && editingTools.has(tool.name);
        const mayBuildOnIt = tool !== undefined && tool.access !== "read" && !changes;
        const outcome =
          failedChange && mayBuildOnIt && !options.signal.aborted
            ? await recordOutcome(options, call, textOutcome("failed", notRunAfterFailedChange(failedChange.name)))
            : await executeCall(options, call);
        if (changes && outcome !== "ok") failedChange ??= call;
      }),
    );
  }
}

function batches({ calls, tools }: ExecuteCallsOptions): ToolCallPart[][] {
  const all: ToolCallPart[][] = [];
  let reads: ToolCallPart[] | undefined;
  let counted = 0;
  for (const call of calls) {
    const tool = findTool(tools, call.name);
    const reading = tool?.access === "read";
    const counts = tool?.onlyWaits ? 0 : 1;
    if (reading && reads && counted + counts <= maxParallelReads) reads.push(call);
    else {
      all.push((reads = [call]));
      counted = 0;
    }
    counted += counts;
    if (!reading) reads = undefined;
  }
  return all;
}

async function executeCall(options: ExecuteCallsOptions, call: ToolCallPart): Promise<ToolOutcomeKind> {
  /** The call's time does not include the wait for permission. */
  let started = options.clock.monotonic();
  const outcome = await runCall(options, call, () => {
    started = options.clock.monotonic();
  });
  const durationMs = Math.max(0, Math.round(options.clock.monotonic() - started));
  return recordOutcome(options, call, { durationMs, ...outcome });
}

async function recordOutcome(
  { recorder, signal }: ExecuteCallsOptions,
  { callId }: ToolCallPart,
  outcome: ToolOutcome & { readonly durationMs?: number },
): Promise<ToolOutcomeKind> {
  await recorder.record({ type: "tool.settled", callId, durationMs: 0, ...outcome }, signal);
  return outcome.outcome;
}

async function runCall(options: ExecuteCallsOptions, call: ToolCallPart, onStart: () => void): Promise<ToolOutcome> {
  const { signal, recorder, turn } = options;
  if (signal.aborted) return textOutcome("interrupted", callNotStarted);
  const tool = findTool(options.tools, call.name);
  if (!tool) return textOutcome("failed", unknownTool(call.name, [...options.tools.keys()]));
  const parsed = parseModelInput(tool, call.input);
  if (!parsed.ok) return textOutcome("failed", parsed.message);

  const seen = { callId: call.callId, tool: tool.name, input: parsed.value };
  const guarded = await guardCall(options.hooks, { tool, call: seen, signal });
  if (signal.aborted) return textOutcome("interrupted", callNotStarted);
  if ("denied" in guarded) return textOutcome("denied", guarded.denied);

  const futile = tool.futile?.(guarded.input);
  if (futile !== undefined) return textOutcome("failed", futile);
  const { hook } = guarded;
  const permission = await options.permissions.allow({ tool, input: guarded.input, call, signal, recorder, hook });
  if (permission.behavior === "deny")
    return {
      ...textOutcome(permission.outcome ?? "denied", permission.message),
      ...(permission.reason !== undefined && { reason: permission.reason }),
    };
  if (signal.aborted) return textOutcome("interrupted", callNotStarted);

  const { input } = permission;
  if (tool.access !== "read" && tool.subject(input).kind !== "own") await options.beforeChange?.();
  const title = tool.title(input);
  await recorder.record({ type: "tool.called", turn, callId: call.callId, name: tool.name, input, title }, signal);
  const context = options.contextFor({
    callId: call.callId,
    input,
    place: permission.place,
    signal,
    progress: (text) => recorder.live({ type: "tool.progress", callId: call.callId, text }),
  });
  onStart();
  const outcome = await executeTool(tool, input, context);
  if (outcome.outcome === "interrupted" && outcome.content.length === 0)
    return textOutcome("interrupted", interruptedCall);
  const bounded = await boundOutcome(outcome, {
    ...(tool.resultLimit !== undefined && { limit: tool.resultLimit }),
    ...(options.secrets && { secrets: options.secrets }),
    save: (name, data) => options.saveOutput(`${call.callId}-${name}`, data),
  });
  const where = whereNote(permission, bounded);
  const noted = withText(withText(bounded, permission.note && noteText(permission.note, tool)), where);
  if (!options.hooks || bounded.outcome !== "ok") return noted;
  return appendHookFeedback(noted, [
    hook?.context,
    ...(await options.hooks.afterCall({ ...seen, input }, bounded, signal)),
  ]);
}

function whereNote(
  { copy, outside }: Extract<Allowance, { behavior: "allow" }>,
  { outcome }: ToolOutcome,
): string | undefined {
  if (copy !== undefined) return readInMainCheckout(copy);
  return outside !== undefined && outcome === "ok" ? changedOutside(outside) : undefined;
}

const noteText = (note: ApprovalNote, tool: Tool): string =>
  tool.noteText ? tool.noteText(note.text) : allowedWithNote(note, tool.name);

/** Accepts a name in the wrong case if only one tool has it. */
function findTool(tools: ReadonlyMap<string, Tool>, name: string): Tool | undefined {
  const exact = tools.get(name);
  if (exact) return exact;
  const alike = [...tools.values()].filter((tool) => tool.name.toLowerCase() === name.toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}

const withText = (outcome: ToolOutcome, text: string | undefined): ToolOutcome =>
  text === undefined ? outcome : { ...outcome, content: [...outcome.content, { type: "text", text }] };

const textOutcome = (outcome: ToolOutcomeKind, text: string): ToolOutcome => ({
  outcome,
  content: [{ type: "text", text }],
});
