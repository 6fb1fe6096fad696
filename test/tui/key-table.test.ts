import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { actionOf, keyFor, keyHelp } from "../../src/tui/key-table.ts";
import { slashListings } from "../../src/tui/slash-commands.ts";

const page = readFileSync(new URL("../../docs/reference/terminal.md", import.meta.url), "utf8").replace(/ +/g, " ");

test("a key has one meaning per context, and an unbound key has none", () => {
  expect(actionOf("app", "ctrl+t")).toBe("tasks");
  expect(actionOf("agents", "x")).toBe("stop");
  expect(actionOf("permission", "x")).toBeUndefined();
  expect(keyFor("app", "nextAgent")).toBe("Shift+↓");
  for (const { title, keys } of keyHelp()) {
    const names = keys.flatMap((each) => each.keys.split(", "));
    expect(new Set(names).size, title).toBe(names.length);
  }
});

test("docs/reference/terminal.md has every key", () => {
  for (const { title, keys } of keyHelp())
    for (const { keys: names, does } of keys) expect(page).toContain(`| ${title} | ${names} | ${does} |`);
});

test("docs/reference/terminal.md has every terminal command", () => {
  for (const { name } of slashListings({ slashCommands: () => [] })) expect(page).toContain(`| \`/${name}`);
});
