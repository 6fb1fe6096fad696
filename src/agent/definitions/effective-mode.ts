import type { PermissionMode } from "../../protocol/index.ts";

/** From strict to loose. `bubble` is for forks, which start no agents: it means the mode of the parent. */
const modeRank: Readonly<Record<PermissionMode, number>> = {
  plan: 0,
  dontAsk: 1,
  bubble: 2,
  default: 2,
  acceptEdits: 3,
  bypassPermissions: 4,
};

export interface ModeRequest {
  /** The mode that the parent works in now. */
  readonly parent: PermissionMode;
  readonly definition?: PermissionMode | undefined;
  /** `subagents.permissionMode` of the settings; `inherit` if it is not set. */
  readonly setting?: PermissionMode | "inherit" | undefined;
  /** The mode that the starting call asks for. */
  readonly call?: PermissionMode | undefined;
}

export interface EffectiveMode {
  readonly mode: PermissionMode;
  /** The source of the mode. `parent` also if a looser mode was asked for. */
  readonly from: "call" | "definition" | "setting" | "parent";
  /** The mode that was asked for and is looser than the parent's. */
  readonly refused?: PermissionMode;
}

/**
 * The mode of a subagent: its definition's, else the setting's, and never looser than the parent's. A call can only
 * make it stricter.
 */
export function effectiveMode({ parent, definition, setting = "inherit", call }: ModeRequest): EffectiveMode {
  const wanted = wantedMode(definition, call, setting === "inherit" ? undefined : setting);
  if (!wanted) return { mode: parent, from: "parent" };
  if (modeRank[wanted.mode] <= modeRank[parent]) return wanted;
  return { mode: parent, from: "parent", refused: wanted.mode };
}

function wantedMode(
  definition: PermissionMode | undefined,
  call: PermissionMode | undefined,
  setting: PermissionMode | undefined,
): EffectiveMode | undefined {
  if (call && (!definition || modeRank[call] < modeRank[definition])) return { mode: call, from: "call" };
  if (definition) return { mode: definition, from: "definition" };
  return setting && { mode: setting, from: "setting" };
}
