import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { safeName } from "../../../../src/platform/index.ts";
import { checkName } from "../../../../src/store/index.ts";
import { skeletonOf } from "../../../../src/store/team/record/confusable-names.ts";
import { uniqueName } from "../../../../src/store/team/record/team-names.ts";

/** Names that a model, a user or an attacker may request (D1). */
const refused: readonly string[] = [
  "",
  " ",
  "\t",
  ".",
  "..",
  "...",
  "../x",
  "..\\x",
  "a/b",
  "a\\b",
  "/etc/passwd",
  "C:\\x",
  "C:x",
  "~",
  "~root",
  ".git",
  ".troupe",
  ".hidden",
  "-rf",
  "--help",
  "-",
  "_",
  " - ",
  "a.",
  "a..",
  "a .",
  "a\0b",
  "a\nb",
  "a\rb",
  "a\x1b[31mb",
  "a\x07",
  "a\x7fb",
  "a\u0085b",
  "a\u009bb",
  "a\u00adb",
  "a\u200bb",
  "a\u200cb",
  "a\u200db",
  "a\u200eb",
  "a\u200fb",
  "a\u202ab",
  "a\u202eb",
  "a\u2066b",
  "a\u2069b",
  "a\u2028b",
  "a\u2029b",
  "a\ufeffb",
  "a\u2060b",
  "a\u3164b",
  "\u115f",
  "a\ufe0fb",
  "a\u{e0041}b",
  "a\u{e0100}b",
  "a\ud800b",
  "a\udc00",
  "a\uffffb",
  "a\ue000b",
  "x".repeat(65),
  "x".repeat(300),
  "名".repeat(65),
  "a  b",
  "a\u0301\u0301\u0301\u0301b",
  "\u0301a",
  "*",
  "a*",
  "a?b",
  "a:b",
  "a|b",
  'a"b',
  "a'b",
  "a`b",
  "a$b",
  "$(id)",
  "a;b",
  "a&b",
  "a<b",
  "<b>",
  "a@b",
  "a#b",
  "a%00b",
  "%2e%2e%2f",
  "a=b",
  "a+b",
  "a,b",
  "(a)",
  "[a]",
  "{a}",
  "🎭",
  "a🎭",
  "a—b",
  "a…",
  "a／b",
  "a∕b",
  "a＊",
  "user",
  "USER",
  "User",
  "usеr",
  "team-lead",
  "Team-Lead",
  "team lead",
  "team.lead",
  "team_lead",
  "tеam-lead",
  "tеаm-lеаd",
  "τeam-lead",
  "team-Iead",
  "team-1ead",
  "tearn-lead",
  "ｔｅａｍ-lead",
  "téam-lead",
  "troupe",
  "tr0upe",
];

const kept: readonly string[] = [
  "tester",
  "Tester",
  "tester 2",
  "a",
  "7",
  "con",
  "nul",
  "aux",
  "com1",
  "a.b",
  "a_b",
  "a-b",
  "a-",
  "a_",
  "v1.2.3",
  "工程师",
  "テスト係",
  "검사원",
  "Žluťoučký kůň",
  "أحمد",
  "עוזר",
  "Δοκιμή",
  "проверка",
  "ทดสอบ",
  "परीक्षक",
  "x".repeat(64),
];

describe("names of members and teams (D1)", () => {
  it("the list is long enough to be meaningful", () => {
    expect(new Set([...refused, ...kept]).size).toBeGreaterThanOrEqual(120);
  });

  it.each(refused.map((name) => [JSON.stringify(name), name]))("refuses %s with a one-line message", (_, name) => {
    expect(() => checkName(name, "member")).toThrow(expect.objectContaining({ code: "team" }));
    expect(() => checkName(name, "member")).toThrow(
      /^[^\p{C}\p{Zl}\p{Zp}\p{DI}]+cannot be the name of a member: [^\p{C}]+\.$/u,
    );
  });

  it.each(kept)("keeps %s, in a separate file", (name) => {
    expect(checkName(` ${name} `, "member")).toBe(name.normalize("NFC"));
  });

  it("no name leaves its folder or shares a file, also on case-insensitive file systems", () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-names-")));
    try {
      const names = [...new Set([...refused, ...kept].map((name) => name.normalize("NFC")))];
      const files = names.map((name) => safeName(name));
      for (const file of files) {
        expect(relative(root, join(root, file))).toBe(file);
        expect(file).not.toContain(sep);
        expect(file).toMatch(/^[a-z0-9][a-z0-9~_-]{0,80}$/);
      }
      expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(names.length);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it.each([
    ["tester", "TESTER"],
    ["tester", "tеster"],
    ["tester", "ｔester"],
    ["tester", "tëster"],
    ["parser", "ραrser"],
    ["scope", "ѕсоре"],
    ["a b", "a_b"],
    ["a b", "a.b"],
    ["Ο", "0"],
    ["ill", "1ll"],
    ["Ill", "lll"],
    ["modern", "modem"],
    ["wow", "vvow"],
    ["HELP", "ΗΕLP"],
    ["ﬁx", "fix"],
  ])("%s and %s look alike", (one, other) => {
    expect(skeletonOf(one)).toBe(skeletonOf(other));
  });

  it.each([
    ["tester", "tested"],
    ["工程师", "工程"],
    ["a1", "a2"],
    ["проверка", "проверки"],
  ])("%s and %s do not look alike", (one, other) => {
    expect(skeletonOf(one)).not.toBe(skeletonOf(other));
  });

  it("a name in use gets a number and stays within its length", () => {
    const taken = new Set(["tester", "tester-2"].map(skeletonOf));
    expect(uniqueName("Tester", (skeleton) => taken.has(skeleton))).toBe("Tester-3");
    const long = "x".repeat(64);
    expect(uniqueName(long, (skeleton) => skeleton === skeletonOf(long))).toBe(`${"x".repeat(62)}-2`);
  });
});
