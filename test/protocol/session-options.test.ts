import { expect, test } from "vitest";
import { LaunchFlags, LibraryOptions, pickOptions } from "../../src/protocol/index.ts";

test("each list of options picks its own from the options of a session", () => {
  const options = { maxTurns: 3, model: "opus", addDir: ["/a"], team: "parsers", bus: undefined };
  expect(pickOptions(LaunchFlags, options)).toEqual({ maxTurns: 3, addDir: ["/a"] });
  expect(pickOptions(LibraryOptions, options)).toEqual({ maxTurns: 3, team: "parsers" });
});

test("a wrong value is a usage error that names the option", () => {
  expect(() => pickOptions(LibraryOptions, { maxTurns: 0 })).toThrow(/^invalid session options: maxTurns: /);
});
