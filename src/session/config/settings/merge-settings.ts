import type { Settings } from "../../../protocol/index.ts";
import type { SettingsLayer } from "./read-settings-files.ts";

export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** A value with its source, folder and precedence level. */
export type Placed<T> = Sourced<T> & Pick<SettingsLayer, "folder" | "level">;

/** `folder` is the base of paths in the rule that start with a slash. */
export interface SourcedRule extends Sourced<string> {
  readonly folder: string;
}

export interface MergedSettings {
  /** Single values: the layer with the highest precedence that sets the value. */
  readonly values: Omit<Settings, "$schema" | "permissions" | "hooks" | "mcpServers">;
  readonly defaultMode: NonNullable<Settings["permissions"]>["defaultMode"];
  /** Lists: the entries of all layers, highest precedence first. */
  readonly allow: readonly SourcedRule[];
  readonly ask: readonly SourcedRule[];
  readonly deny: readonly SourcedRule[];
  readonly directories: readonly Placed<string>[];
  readonly hooks: readonly Placed<unknown>[];
  readonly mcpServers: readonly Placed<unknown>[];
  /** The file of each value, by its dotted name: `retry.maxAttempts`. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Merges the layers, which are ordered by precedence, highest first. */
export function mergeSettings(layers: readonly SettingsLayer[]): MergedSettings {
  const values: Record<string, unknown> = {};
  const sources = new Map<string, string>();
  for (const { settings, source } of layers.toReversed()) {
    const { $schema: _, permissions, hooks: _hooks, mcpServers: _servers, ...rest } = settings;
    const mode = permissions?.defaultMode;
    overlay(values, { ...rest, ...(mode !== undefined && { defaultMode: mode }) }, (key) => sources.set(key, source));
  }
  const { defaultMode, ...plain } = values as MergedSettings["values"] & Pick<MergedSettings, "defaultMode">;
  const lists = (pick: (settings: Settings) => readonly string[] | undefined) =>
    layers.flatMap(({ settings, source, folder }) =>
      (pick(settings) ?? []).map((value) => ({ value, source, folder })),
    );
  const wholes = (key: "hooks" | "mcpServers") =>
    layers
      .filter(({ settings }) => settings[key] !== undefined)
      .map(({ settings, source, folder, level }) => ({ value: settings[key], source, folder, level }));
  return {
    values: plain,
    defaultMode,
    allow: lists((settings) => settings.permissions?.allow),
    ask: lists((settings) => settings.permissions?.ask),
    deny: lists((settings) => settings.permissions?.deny),
    directories: layers.flatMap(({ settings, source, folder, level }) =>
      (settings.permissions?.additionalDirectories ?? []).map((value) => ({ value, source, folder, level })),
    ),
    hooks: wholes("hooks"),
    mcpServers: wholes("mcpServers"),
    sources,
  };
}

/** Merges objects key by key and replaces all other values. Calls `noted` with the name of each value that is set. */
function overlay(
  onto: Record<string, unknown>,
  from: Readonly<Record<string, unknown>>,
  noted: (key: string) => void,
): void {
  for (const [key, value] of Object.entries(from)) {
    if (value === undefined) continue;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const inner = { ...(onto[key] as Record<string, unknown> | undefined) };
      overlay(inner, value as Record<string, unknown>, (name) => noted(`${key}.${name}`));
      onto[key] = inner;
    } else {
      onto[key] = value;
      noted(key);
    }
  }
}
