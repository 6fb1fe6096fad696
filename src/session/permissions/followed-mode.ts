import { effectiveMode } from "../../agent/definitions/index.ts";
import type { Member, PermissionMode } from "../../protocol/index.ts";

interface LeadModes {
  /** The last mode of the lead's previous run. */
  readonly before: PermissionMode | undefined;
  readonly now: PermissionMode;
  /** The mode of a new agent of this type under a lead in this mode. */
  modeOf(type: string | undefined, parent: PermissionMode): PermissionMode;
}

/**
 * The wider mode of a teammate whose lead is resumed in a wider mode. A teammate that had the mode of its lead follows
 * it, up to the mode of its definition. Undefined if its mode stays.
 */
export function followedMode(
  { mode, agentType }: Pick<Member, "mode" | "agentType">,
  { before, now, modeOf }: LeadModes,
): PermissionMode | undefined {
  if (before === undefined || mode !== before || before === "plan" || now === "plan") return undefined;
  const wanted = modeOf(agentType, now);
  const isWider = effectiveMode({ parent: before, definition: wanted }).mode !== wanted;
  return isWider ? wanted : undefined;
}
