import { expect, test } from "vitest";
import { createTheme } from "../../src/tui/theme.ts";

test("the environment overrides the settings, and both override detection", () => {
  const kind = (env: Record<string, string>, theme?: "dark" | "light") => createTheme({ env, theme }).kind;
  expect([
    kind({}),
    kind({ COLORFGBG: "0;15" }),
    kind({ COLORFGBG: "15;default;0" }),
    kind({ COLORFGBG: "0;15" }, "dark"),
    kind({ TROUPE_THEME: "light" }, "dark"),
    kind({ NO_COLOR: "1", TROUPE_THEME: "light" }),
    kind({ TERM: "dumb" }),
  ]).toEqual(["dark", "light", "dark", "dark", "light", "plain", "plain"]);
  const reads = (env: Record<string, string>, screenReader?: boolean) =>
    createTheme({ env, screenReader }).isScreenReader;
  expect([
    reads({}),
    reads({}, true),
    reads({ TROUPE_SCREEN_READER: "0" }, true),
    reads({ TROUPE_SCREEN_READER: "1" }),
    reads({ TERM: "dumb" }),
  ]).toEqual([false, true, false, true, true]);
});

test("colours of roles and members; without colours only weight and slant", () => {
  const dark = createTheme({ env: {} });
  expect(dark.paint("x", { role: "error", bold: true })).toBe("\x1b[31;1mx\x1b[39;22m");
  expect(dark.paint("x", { role: "accent", agent: "orange" })).toBe("\x1b[38;5;208mx\x1b[39m");
  expect(dark.paint("x", { role: "accent", agent: "no colour" })).toBe("\x1b[36mx\x1b[39m");
  expect(dark.props({ agent: "pink", dim: true })).toEqual({ color: "ansi256(205)", dimColor: true });
  const plain = createTheme({ env: { NO_COLOR: "1" } });
  expect([plain.paint("x", { role: "error" }), plain.props({ role: "error", italic: true })]).toEqual([
    "x",
    { italic: true },
  ]);
});

test("every role has a colour in both themes", () => {
  for (const theme of ["dark", "light"] as const) {
    const { props } = createTheme({ env: {}, theme });
    for (const role of ["user", "code", "added", "removed", "warning", "error"] as const)
      expect(props({ role }).color).toBeDefined();
  }
});
