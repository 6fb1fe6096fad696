import { effectiveMode } from "../../agent/definitions/index.ts";
import type { PermissionMode } from "../../protocol/index.ts";
import type { AgentRuntime } from "../agent-runtime/agent-runtime.ts";

interface ModeChange {
  readonly mode: PermissionMode;
  /** Only lowers the mode. */
  readonly atMost?: boolean | undefined;
}

/**
 * Sets a teammate's mode as its lead requests. A lowered limit does not end plan mode. A teammate that needs an
 * approved first plan leaves plan mode only by that approval. In both cases only the mode after the plan changes.
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
