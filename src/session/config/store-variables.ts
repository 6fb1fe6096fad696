import { definedFields } from "../../platform/index.ts";
import type { SessionOptions } from "../../protocol/index.ts";

/** The options that say where teams are stored. */
export type StoreOptions = Pick<SessionOptions, "bus" | "teamStore">;

/** The variables with which another process of Troupe finds the same teams. */
export const storeVariables = ({ bus, teamStore }: StoreOptions): Readonly<Record<string, string>> =>
  definedFields({ TROUPE_BUS: bus, TROUPE_TEAM_STORE: teamStore });
