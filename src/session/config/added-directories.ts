import type { Config } from "./load-config.ts";

/** The folders outside the session's own in which agents may work. */
export const addedDirectories = ({ additionalDirectories }: Pick<Config, "additionalDirectories">): string[] =>
  additionalDirectories.map(({ value }) => value);
