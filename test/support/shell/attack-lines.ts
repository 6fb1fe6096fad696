import { expect, it } from "vitest";
import type { hostileFolder } from "./hostile-folder.ts";

type HostileFolder = ReturnType<typeof hostileFolder>;

/** Returns the command lines of a text, one each line. The sign ⏎ stands for a line break inside a command line. */
export const lines = (text: string): readonly string[] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim().replaceAll("⏎", "\n"));

/** Returns a function that registers a test for each command line: it is never allowed, without rules also not in plan mode. */
export const neverAllowedIn =
  (folder: HostileFolder) =>
  (text: string, rules: Parameters<HostileFolder["verdict"]>[1] = {}): void =>
    it.each(lines(text))("%s", (line) => {
      expect(folder.verdict(line, rules)).not.toBe("allow");
      if (rules.rules === undefined) expect(folder.verdict(line, { mode: "plan" })).not.toBe("allow");
    });
