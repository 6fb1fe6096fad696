import type { PermissionMode } from "../../protocol/index.ts";

/** From strict to loose. `bubble` is for forks, which start no agents: it is whatever their parent is in. */
const modeRank: Readonly<Record<PermissionMode, number>> = {
  plan: 0,
  dontAsk: 1,
  bubble: 2,
  default: 2,
  acceptEdits: 3,
  bypassPermissions: 4,
};

export interface ModeRequest {
  /** What the parent really works in at this moment. */
  readonly parent: PermissionMode;
  readonly definition?: PermissionMode | undefined;
  /** `subagents.permissionMode` of the settings; `inherit` where nothing is said. */
  readonly setting?: PermissionMode | "inherit" | undefined;
  /** What the call that starts the agent asks for. */
  readonly call?: PermissionMode | undefined;
}

export interface EffectiveMode {
  readonly mode: PermissionMode;
  /** Who decided it. `parent` also where something looser was asked for. */
  readonly from: "call" | "definition" | "setting" | "parent";
  /** What was asked for and is more than the parent has. */
  readonly refused?: PermissionMode;
}

/** The mode a child works in: its definition's, else the setting's, and never more than the parent's. A call can only make it stricter. */
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
