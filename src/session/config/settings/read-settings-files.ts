import { join } from "node:path";
import type { Settings } from "../../../protocol/index.ts";
import { parseStrictJson, type JsonFault } from "../../files/parse-strict-json.ts";
import { readBoundedFile } from "../../files/read-bounded-file.ts";
import type { SettingsProblem } from "./settings-problems.ts";

/** One source of settings. Relative paths in it start at `folder`. */
export interface SettingsLayer {
  readonly level: "managed" | "flags" | "project" | "user";
  readonly source: string;
  readonly folder: string;
  readonly settings: Settings;
}

export interface SettingsPaths {
  readonly cwd: string;
  readonly projectFolders: readonly string[];
  readonly home: string;
  readonly userHome: string;
  readonly managedFile: string;
  /** The file with the rules that the user allowed permanently in this folder. */
  readonly localSettings: string;
  /** The value of `--settings`: a path or JSON. */
  readonly flag?: string | undefined;
  /** The values of `--mcp-config`: paths or JSON. */
  readonly mcpConfig?: readonly string[] | undefined;
}

interface SettingsSource extends Omit<SettingsLayer, "settings"> {
  readonly format: "troupe" | "claude" | "mcp";
  /** The path, if `source` contains more than the path. */
  readonly file?: string;
  /** The text, if it was given instead of a file. */
  readonly text?: string;
  readonly mustExist?: boolean;
}

/** Reads all settings sources, highest precedence first, and returns their problems. */
export async function readSettingsFiles(
  places: SettingsPaths,
): Promise<{ layers: SettingsLayer[]; problems: SettingsProblem[] }> {
  const layers: SettingsLayer[] = [];
  const problems: SettingsProblem[] = [];
  for (const place of settingsSources(places)) {
    const read = await readSource(place);
    if (read === undefined) continue;
    if ("settings" in read) {
      const { level, source, folder } = place;
      layers.push({ level, source, folder, settings: read.settings });
    } else {
      const { describeProblems } = await import("./settings-problems.ts");
      problems.push(...describeProblems(place.source, read));
    }
  }
  return { layers, problems };
}

export interface BrokenFile {
  readonly text: string;
  readonly fault: JsonFault;
}

function settingsSources({ cwd, projectFolders, home, userHome, ...places }: SettingsPaths): SettingsSource[] {
  const user: SettingsSource[] = [
    { level: "user", format: "troupe", source: join(home, "settings.json"), folder: userHome },
    { level: "user", format: "claude", source: join(userHome, ".claude", "settings.json"), folder: userHome },
  ];
  const usersOwn = new Set(user.map((place) => place.source));
  const project = (format: "troupe" | "claude", name: string): SettingsSource[] =>
    projectFolders
      .map((folder): SettingsSource => ({ level: "project", format, source: join(folder, `.${format}`, name), folder }))
      .filter((place) => !usersOwn.has(place.source))
      .reverse();
  return [
    { level: "managed", format: "troupe", source: places.managedFile, folder: "/" },
    ...(places.flag === undefined ? [] : [flagSource(places.flag, cwd)]),
    ...(places.mcpConfig ?? []).map((given) => mcpSource(given, cwd)),
    { level: "user", format: "troupe", source: places.localSettings, folder: cwd },
    ...project("troupe", "settings.local.json"),
    ...project("troupe", "settings.json"),
    ...project("claude", "settings.local.json"),
    ...project("claude", "settings.json"),
    ...projectFolders
      .map((folder): SettingsSource => ({ level: "project", format: "mcp", source: join(folder, ".mcp.json"), folder }))
      .reverse(),
    ...user,
  ];
}

function flagSource(flag: string, cwd: string): SettingsSource {
  const place = { level: "flags", format: "troupe", folder: cwd } as const;
  if (flag.trimStart().startsWith("{")) return { ...place, source: "--settings", text: flag };
  return { ...place, source: flag.startsWith("/") ? flag : join(cwd, flag), mustExist: true };
}

function mcpSource(given: string, cwd: string): SettingsSource {
  const { source, ...place } = flagSource(given, cwd);
  if (place.text !== undefined) return { ...place, format: "mcp", source: mcpConfigFlag };
  return { ...place, format: "mcp", source: `${mcpConfigFlag} ${source}`, file: source };
}

export const mcpConfigFlag = "--mcp-config";

const sizeLimit = 1_000_000;

async function readSource(place: SettingsSource): Promise<{ settings: Settings } | BrokenFile | undefined> {
  let { text } = place;
  if (text === undefined) {
    const file = readBoundedFile(place.file ?? place.source, sizeLimit + 1);
    if (file.kind === "absent") {
      return place.mustExist ? { text: "", fault: { kind: "unreadable", reason: "file not found" } } : undefined;
    }
    if (file.kind === "unreadable") return { text: "", fault: file };
    if (file.size > sizeLimit) {
      return {
        text: "",
        fault: { kind: "unreadable", reason: `it has ${file.size} bytes; the limit is ${sizeLimit}` },
      };
    }
    const decoded = decode(file.bytes);
    if (decoded === undefined) return { text: "", fault: { kind: "unreadable", reason: "it is not valid UTF-8" } };
    text = decoded;
  }
  const checked = parseStrictJson(text);
  if ("fault" in checked) return { text, fault: checked.fault };
  const { settingsSchemas } = await import("./settings-schemas.ts");
  const parsed = settingsSchemas[place.format].safeParse(checked.value);
  return parsed.success ? { settings: parsed.data } : { text, fault: { kind: "shape", issues: parsed.error.issues } };
}

/** Returns undefined for invalid UTF-8. Removes a byte order mark. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
