import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { projectName, safeName } from "../../../src/platform/index.ts";

const wild = [
  "",
  ".",
  "..",
  "../..",
  "../../etc/passwd",
  "/",
  "\\",
  "a/b",
  "a\\b",
  "a\0b",
  "a\nb",
  "a\rb",
  "\u0007",
  "\u001b[31m",

  ".git",
  ".hidden",
  "-rf",
  "--help",
  "con",
  "CON",
  "nul",
  "aux",
  "com1",
  "lpt9",
  "con.txt",
  "name.",
  "name ",
  " name",

  "team lead",
  "team.lead",
  "team/lead",
  "team_lead",
  "team-lead",
  "Team-Lead",
  "TEAM-LEAD",
  "team--lead",
  "teаm-lead",

  "研究者",
  "測試",
  "テスト",
  "한국어",
  "🎭",
  "👩‍💻",
  "é",
  "e\u0301",
  "ß",
  "SS",
  "ſ",
  "ı",
  "İ",
  "ﬁ",
  "fi",
  "Å",
  "Å",
  "\u202eabc",
  "abc\u202e",
  "\u200b",
  "a\u200bb",
  "\ufeff",
  "\ud800",
  "\ud801",
  "a\ud800",
  "\udc00",
  "a".repeat(64),
  "a".repeat(65),
  "a".repeat(300),
  "A".repeat(300),
  "研".repeat(300),
  `${"a".repeat(299)}b`,

  "a~b",
  "~",
  "~root",
  "name~0123456789abcdef",
  "$HOME",
  "`id`",
  "$(id)",
  "*",
  "?",
  "a:b",
  "a|b",
  '"',
  "'",
  "%2e%2e",
  "__proto__",
  "constructor",
  "prototype",
  "0",
  "1e5",
  "null",
  "undefined",
  "true",
];

describe("safeName", () => {
  it("leaves plain names as they are", () => {
    for (const name of ["lead", "researcher-2", "a", "agt_0abc", "x_y"]) expect(safeName(name)).toBe(name);
  });

  it("turns any name into one safe path component", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(safeName(name)).toMatch(harmless);
      }),
      { numRuns: 2000 },
    );
    for (const name of wild) expect(safeName(name)).toMatch(harmless);
    for (const name of ["con", "nul", "com1"]) expect(safeName(name)).toMatch(/~/);
  });

  it("never gives two names the same file, also on case-insensitive file systems", () => {
    const names = new Set(wild);
    const seen = new Map([...names].map((name) => [safeName(name).toLowerCase(), name]));
    expect(seen.size).toBe(names.size);
    fc.assert(
      fc.property(anyName, anyName, (a, b) => {
        fc.pre(a !== b);
        expect(safeName(a).toLowerCase()).not.toBe(safeName(b).toLowerCase());
        expect(safeName(safeName(a))).not.toBe(safeName(b));
      }),
      { numRuns: 2000 },
    );
  });

  it("a name that looks like a result gets a different result", () => {
    const result = safeName("Team Lead");
    expect(safeName(result)).not.toBe(result);
  });
});

describe("projectName", () => {
  it("distinguishes similar folders and stays short", () => {
    const paths = ["/", "/code/main", "/code-main", "/code/Main", "/c/ode/main", `/${"deep/".repeat(80)}end`, "/家"];
    const names = paths.map(projectName);
    expect(new Set(names).size).toBe(paths.length);
    for (const name of names) expect(name).toMatch(harmless);
    expect(names[1]).toMatch(/^code-main~[0-9a-z]{16}$/);
  });
});

const harmless = /^[a-z0-9][a-z0-9_-]{0,63}(~[0-9a-z]{16})?$/;
const anyName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ maxLength: 12 }),
  fc.constantFrom(...wild),
);
