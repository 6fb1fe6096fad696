import { effectiveMode } from "../../agent/definitions/index.ts";
import type { PermissionMode } from "../../protocol/index.ts";
import type { AgentRuntime } from "../agent-runtime/agent-runtime.ts";

interface ModeChange {
  readonly mode: PermissionMode;
  /** No more than this. */
  readonly atMost?: boolean | undefined;
}

/**
 * Puts a member into the mode that its lead wants. Nobody is let out of plan mode because its lead may do less now, and who
 * still owes a plan by nothing but that plan's approval: what changes for them is the mode that follows it.
 */
export async function setTeammateMode(
  runtime: Pick<AgentRuntime, "mode" | "plan" | "setMode">,
  { mode, atMost }: ModeChange,
  { planModeRequired = false }: { readonly planModeRequired?: boolean | undefined },
): Promise<void> {
  const { plan } = runtime;
  if (plan.isPlanning && (atMost || (planModeRequired && plan.isFirst))) return plan.setNext({ mode, atMost });
  const next = atMost ? effectiveMode({ parent: mode, definition: runtime.mode() }).mode : mode;
  if (next !== runtime.mode()) await runtime.setMode(next);
}
