import { relative } from "node:path";
import type { SettingsLayer } from "../config/settings/read-settings-files.ts";
import { digestOf, ownerOf, readTrustRecord, trustFile, writeTrustRecord } from "./trust-record.ts";
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
  /** Settings that the user has not seen yet. */
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
  return `${reason}, so some of its settings are ignored: ${listed(withheld, cwd)}. Run 'troupe trust' to review and trust them, or use --trust for one run.`;
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
