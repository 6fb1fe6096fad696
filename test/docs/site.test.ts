import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

test("the built site: every link resolves, no page has an inline script, and the search knows every page", () => {
  const site = join(temporaryFolder(), "site");
  execFileSync(process.execPath, [resolve(import.meta.dirname, "../../scripts/build-docs.mjs"), site]);
  const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  expect(pages).toContain("index.html");
  expect(pages).toContain("tutorial/1-first-minute.html");
  const broken = pages.flatMap((page) => brokenLinks(site, page));
  expect(broken).toEqual([]);
  for (const page of pages) expect(readFileSync(join(site, page), "utf8"), page).not.toMatch(/<script>|style="/);
  const index = readFileSync(join(site, "pages.js"), "utf8");
  expect(pages.filter((page) => !index.includes(JSON.stringify(page)))).toEqual([]);
});

function brokenLinks(site: string, page: string): string[] {
  const html = readFileSync(join(site, page), "utf8");
  const targets = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = ""]) => target);
  return targets.flatMap((target) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = "", anchor] = target.split("#");
    const path = file === "" ? join(site, page) : join(site, dirname(page), file);
    if (!existsSync(path)) return [`${page}: ${target}`];
    const hasAnchor = anchor === undefined || readFileSync(path, "utf8").includes(`id="${anchor}"`);
    return hasAnchor ? [] : [`${page}: ${target}`];
  });
}
