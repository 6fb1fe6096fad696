import { relative } from "node:path";
import type { SettingsLayer } from "../config/settings/read-settings-files.ts";
import { digestOf, ownerOf, readTrustRecord, trustFile, writeTrustRecord } from "./trust-record.ts";
import { type FolderTrust, withholdSettings, type WithheldSetting } from "./withheld-settings.ts";

/** What is believed of the settings that were found, and why. */
export interface TrustOutcome {
  readonly layers: readonly SettingsLayer[];
  readonly trust: FolderTrust;
  readonly withheld: readonly WithheldSetting[];
  /** At most one, for the user. */
  readonly notices: readonly string[];
}

export interface TrustInput {
  /** The working directory, as a real path. Trust is of this folder alone: not of those above it nor of those in it. */
  readonly cwd: string;
  /** TROUPE_HOME. */
  readonly home: string;
  /** Decided by the caller: nothing is looked up. */
  readonly trust: FolderTrust | undefined;
  /** What the folder asks for elsewhere than in its settings. */
  readonly otherPrivileges?: readonly WithheldSetting[] | undefined;
}

/**
 * Takes from the folder's settings what it may not say before it is trusted. A folder counts as trusted while it belongs to
 * the same user as then and asks for nothing that was not shown then; git is never asked which folder this is.
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

/** Trusts a folder with just these settings: whatever it asks for later is shown and asked again. */
export async function trustFolder(
  home: string,
  { cwd, withheld, now }: { cwd: string; withheld: readonly WithheldSetting[]; now: number },
): Promise<void> {
  await writeTrustRecord(home, {
    version: 1,
    path: cwd,
    owner: ownerOf(cwd),
    trustedAt: new Date(now).toISOString(),
    shown: withheld.map((each) => ({ source: each.source, key: each.key, digest: digestOf(each) })),
  });
}

interface TrustState {
  readonly state: "trusted" | "untrusted" | "changed";
  /** What the user has not been shown yet. */
  readonly unseen: readonly WithheldSetting[];
}

function trustStateOf(withheld: readonly WithheldSetting[], { cwd, home, trust }: TrustInput): TrustState {
  if (trust !== undefined) return { state: trust === "all" ? "trusted" : "untrusted", unseen: withheld };
  const record = readTrustRecord(trustFile(home, cwd));
  if (record?.path !== cwd || record.owner !== ownerOf(cwd)) return { state: "untrusted", unseen: withheld };
  const seen = new Set(record.shown.map(({ source, key, digest }) => [source, key, digest].join("\n")));
  const unseen = withheld.filter((each) => !seen.has([each.source, each.key, digestOf(each)].join("\n")));
  return { state: unseen.length === 0 ? "trusted" : "changed", unseen };
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
  return `${reason}, so these of its settings are not used: ${listed(withheld, cwd)}. 'troupe trust' shows them and lets you trust it, --trust trusts it for one run`;
}

/** `.troupe/settings.json (env, hooks), .mcp.json (mcpServers)`. */
function listed(withheld: readonly WithheldSetting[], cwd: string): string {
  const files = new Set(withheld.map(({ source }) => source));
  return [...files]
    .map((file) => {
      const keys = withheld.filter(({ source }) => source === file).map(({ key }) => key);
      return `${relative(cwd, file)} (${keys.join(", ")})`;
    })
    .join(", ");
}
