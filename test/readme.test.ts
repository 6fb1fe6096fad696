import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { LiveEvent, StoredEvent } from "../src/protocol/index.ts";

const root = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...["docs", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
  ),
];

/** Fenced blocks are code, not text with links. */
const withoutCode = (text: string) => text.replace(/^```.*?^```$/gms, "").replace(/`[^`\n]*`/g, "");

test("quick start is two commands, each in its own block", () => {
  const section = /^## Quick start$(.*?)^## /ms.exec(read("README.md"))?.[1] ?? "";
  const blocks = [...section.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, code]) => code?.trim());
  expect(blocks).toEqual(["npm run demo", "npm test"]);
});

test("README has at most 700 words", () => {
  expect(read("README.md").split(/\s+/).length).toBeLessThanOrEqual(700);
});

test("CI runs the README's test command", () => {
  expect(read(".ci/run").trim().split("\n")).toContain("npm test");
});

test.each(pages)("links of %s resolve", (page) => {
  const targets = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? "");
  const broken = targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file = "", anchor] = target.split("#");
    const path = file === "" ? page : join(dirname(page), file);
    if (!existsSync(join(root, path))) return true;
    return anchor !== undefined && !headings(read(path)).includes(anchor);
  });
  expect(broken).toEqual([]);
});

const headings = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replace(/\s/g, "-"),
  );

test("docs/reference/events.md lists every event with its kind, and no other", () => {
  const listed = [...read("docs/reference/events.md").matchAll(/^\| `([a-z.]+)` +\| (stored|live) +\|/gm)];
  const names = (kind: string) => listed.flatMap(([, name, is]) => (is === kind ? [name ?? ""] : [])).sort();
  const types = (options: readonly { shape: { type: { value: string } } }[]) => options.map((o) => o.shape.type.value);
  expect(names("stored")).toEqual(types(StoredEvent.options).sort());
  expect(names("live")).toEqual(types(LiveEvent.options).sort());
});
