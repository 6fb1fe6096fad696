import { relative } from "node:path";
import type { SettingsLayer } from "../config/settings/read-settings-files.ts";
import {
  declinedFile,
  digestOf,
  ownerOf,
  readTrustRecord,
  trustFile,
  type TrustRecord,
  writeTrustRecord,
} from "./trust-record.ts";
import { type FolderTrust, withholdSettings, type WithheldSetting } from "./withheld-settings.ts";

/** The settings that are trusted, and those that are withheld. */
export interface TrustOutcome {
  readonly layers: readonly SettingsLayer[];
  readonly trust: FolderTrust;
  readonly withheld: readonly WithheldSetting[];
  /** At most one notice for the user. */
  readonly notices: readonly string[];
}

export interface TrustInput {
  /** The working directory as a real path. Trust applies only to this folder, not to folders above or below it. */
  readonly cwd: string;
  /** The value of TROUPE_HOME. */
  readonly home: string;
  /** A decision by the caller, which replaces the stored one. */
  readonly trust: FolderTrust | undefined;
  /** Requests of the folder outside its settings. */
  readonly otherPrivileges?: readonly WithheldSetting[] | undefined;
}

/**
 * Removes the settings that need trust unless the folder is trusted. Trust holds while the folder has the same owner
 * and requests nothing new. It does not depend on git.
 */
export function applyTrust(layers: readonly SettingsLayer[], question: TrustInput): TrustOutcome {
  const restricted = layers.map((layer) => withholdSettings(layer, "none"));
  const withheld = [...restricted.flatMap((each) => each.withheld), ...(question.otherPrivileges ?? [])];
  const { state, unseen } = trustStateOf(withheld, question);
  if (state === "trusted") return { layers, trust: "all", withheld: [], notices: [] };
  return {
    layers: restricted.map(({ layer }) => layer),
    trust: "none",
    withheld,
    notices: withheld.length === 0 ? [] : [notice({ state, unseen, withheld, cwd: question.cwd })],
  };
}

/** Trusts a folder with exactly these settings. Later requests are shown to the user again. */
export const trustFolder = (home: string, decision: TrustDecision): Promise<void> =>
  writeTrustRecord(trustFile(home, decision.cwd), recordOf(decision));

/** Remembers that the user declined these settings, so that a start does not ask again. */
export const declineTrust = (home: string, decision: TrustDecision): Promise<void> =>
  writeTrustRecord(declinedFile(home, decision.cwd), recordOf(decision));

/** True if the user declined all of these settings before. */
export const isTrustDeclined = (home: string, { cwd, withheld }: Omit<TrustDecision, "now">): boolean =>
  unseenIn(declinedFile(home, cwd), { cwd, withheld })?.length === 0;

export interface TrustDecision {
  readonly cwd: string;
  readonly withheld: readonly WithheldSetting[];
  readonly now: number;
}

const recordOf = ({ cwd, withheld, now }: TrustDecision): TrustRecord => ({
  version: 1,
  path: cwd,
  owner: ownerOf(cwd),
  trustedAt: new Date(now).toISOString(),
  shown: withheld.map((each) => ({ source: each.source, key: each.key, digest: digestOf(each) })),
});

interface TrustState {
  readonly state: "trusted" | "untrusted" | "changed";
  /** Settings that the user has not seen yet. */
  readonly unseen: readonly WithheldSetting[];
}

function trustStateOf(withheld: readonly WithheldSetting[], { cwd, home, trust }: TrustInput): TrustState {
  if (trust !== undefined) return { state: trust === "all" ? "trusted" : "untrusted", unseen: withheld };
  const unseen = unseenIn(trustFile(home, cwd), { cwd, withheld });
  if (unseen === undefined) return { state: "untrusted", unseen: withheld };
  return { state: unseen.length === 0 ? "trusted" : "changed", unseen };
}

/** The settings that a stored decision does not have. Undefined if there is no decision about this folder. */
function unseenIn(
  file: string,
  { cwd, withheld }: Pick<TrustDecision, "cwd" | "withheld">,
): readonly WithheldSetting[] | undefined {
  const record = readTrustRecord(file);
  if (record?.path !== cwd || record.owner !== ownerOf(cwd)) return undefined;
  const seen = new Set(record.shown.map(({ source, key, digest }) => [source, key, digest].join("\n")));
  return withheld.filter((each) => !seen.has([each.source, each.key, digestOf(each)].join("\n")));
}

function notice({
  state,
  unseen,
  withheld,
  cwd,
}: TrustState & { withheld: readonly WithheldSetting[]; cwd: string }): string {
  const reason =
    state === "changed"
      ? `this folder has changed since it was trusted (${listed(unseen, cwd)})`
      : "this folder is not trusted";
  return `${reason}, so some of its settings are ignored: ${listed(withheld, cwd)}. Use /trust or 'troupe trust' to review and trust them, or --trust for one run.`;
}

/** Formats as `.troupe/settings.json (env, hooks), .mcp.json (mcpServers)`. */
function listed(withheld: readonly WithheldSetting[], cwd: string): string {
  const files = new Set(withheld.map(({ source }) => source));
  return [...files]
    .map((file) => {
      const keys = withheld.filter(({ source }) => source === file).map(({ key }) => key);
      return `${relative(cwd, file)} (${keys.join(", ")})`;
    })
    .join(", ");
}
