import { execFile } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);
let folder = "";
let installed = { stdout: "", stderr: "" };

/** Packs this checkout and installs the package as a user does. The packages come from npm's cache if they are there. */
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-package-")));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    cwd: root,
    maxBuffer: 16_000_000,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const options = ["--no-audit", "--no-fund", "--prefer-offline"];
  installed = await run("npm", ["install", ...options, join(folder, basename(filename))], { cwd: folder });
  return () => rmSync(folder, { recursive: true, force: true });
});

/** The bytes of all files below a folder. */
const sizeOf = (path: string): number =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => lstatSync(join(path, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);

test("an installed package is small, runs no script and warns of none", () => {
  expect(sizeOf(join(folder, "node_modules"))).toBeLessThan(30_000_000);
  expect(`${installed.stdout}${installed.stderr}`).not.toMatch(/install script|deprecated/i);
  const { scripts } = JSON.parse(readFileSync(join(folder, "node_modules/troupe/package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  for (const name of ["preinstall", "install", "postinstall", "prepare"]) expect(scripts).not.toHaveProperty(name);
});

test("an installed package has the licences of the code that it contains", () => {
  const licences = readFileSync(join(folder, "node_modules/troupe/dist/THIRD-PARTY-LICENSES.txt"), "utf8");
  for (const name of ["@anthropic-ai/sdk", "@modelcontextprotocol/client", "hono", "ink", "react-dom", "zod"])
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(.+\\)$`, "m"));
  expect(licences).toContain("Permission is hereby granted, free of charge");
});

test("links of the installed documentation resolve", () => {
  const docs = join(folder, "node_modules/troupe/docs");
  const pages = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(docs, page), "utf8").replace(/^```.*?^```$/gms, "");
    const targets = [...text.matchAll(/\]\((\.[^)\s#]+)/g)].map(([, target = ""]) => target);
    return targets.filter((target) => !lstatSync(join(docs, page, "..", target), { throwIfNoEntry: false }));
  });
  expect(broken).toEqual([]);
});

test("the installed declarations name no package but zod, and a strict program compiles", async () => {
  const types = join(folder, "node_modules/troupe/dist/types");
  for (const file of readdirSync(types)) {
    const sources = [...readFileSync(join(types, file), "utf8").matchAll(/from "([^"]+)"/g)].map(
      ([, source]) => source,
    );
    expect(sources.filter((source) => !/^(?:\.\/|node:|zod$)/.test(source ?? ""))).toEqual([]);
  }
  writeFileSync(
    join(folder, "program.ts"),
    `import { createSession, createTeam, defineTool, itemsOf, textResult, z } from "troupe";
import { createScriptedModel, systemClock } from "troupe/testing";

const model = createScriptedModel({ version: 1, steps: [{ text: "hi" }] }, { clock: systemClock });
const tool = defineTool({ name: "Add", input: z.strictObject({ a: z.number() }), execute: async ({ a }) => textResult(String(a + 1)) });
await using session = await createSession({ memory: true, model, tools: [tool], outputSchema: z.strictObject({ sum: z.number() }) });
const { output } = await session.ask("go");
export const sum: number | undefined = output?.sum;
export const names: string[] = [...itemsOf(session.view().agents)].map((agent) => agent.path);
export const team = createTeam("a", { members: ["b"] });
`,
  );
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    module: "nodenext",
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    noEmit: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["program.ts"] }));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const compiled = await run(process.execPath, [compiler, "-p", folder], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).toBe("");
});

test("the installed program runs its demo", async () => {
  const { stdout } = await run(process.execPath, [join(folder, "node_modules/.bin/troupe"), "demo", "--fast"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  expect(stdout).toContain("What to try next");
});
