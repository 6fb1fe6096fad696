import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TroupeError } from "../../../src/protocol/index.ts";
import { createTestClock, loadScriptedModel } from "../../../src/testing.ts";
import { bundle } from "../../support/processes/build-program.ts";

const clock = createTestClock({ auto: true });
const repository = fileURLToPath(new URL("../../..", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-load-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function write(name: string, content: string): Promise<string> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), content);
  return name;
}

async function problemOf(name: string): Promise<string> {
  const error: unknown = await loadScriptedModel(name, { clock, cwd: folder }).then(
    () => "none",
    (cause: unknown) => cause,
  );
  expect(TroupeError.is(error) && error.code).toBe("script");
  return (error as TroupeError).message;
}

describe("broken script is reported with file, line and field", () => {
  test.each([
    [
      "not JSON",
      '{\n  "version": 1,\n  "steps": [}\n',
      "script a.json:3 is not valid JSON: ValueExpected. Fix the syntax error",
    ],
    ["empty", "", "script a.json:1 is not valid JSON: "],
    [
      "an unknown field",
      '{\n"version": 1,\n"steps": [\n{ "txt": "a" }]}',
      'script a.json:4, steps[0]: Unrecognized key: "txt"',
    ],
    [
      "a wrong type",
      '{"version": 1,\n"steps": [{},\n{ "delayMs": "soon" }]}',
      "script a.json:3, steps[1].delayMs: Invalid input: expected number",
    ],
    ["another version", '{\n"version": 2 }', "script a.json:2, version: Invalid input: expected 1"],
    ["no version", '{\n"steps": [] }', "script a.json:1, version: Invalid input: expected 1"],
    ["a bad fault", '{"version":1,"steps":[{"fault":{"kind":"fire"}}]}', "steps[0].fault.kind: Invalid option"],
    [
      "a bad expression",
      '{"version":1,"rules":[{"when":{"said":{"regex":"("}},"answer":{}}]}',
      "rules[0].when.said: must be a string, or { regex } with a valid expression",
    ],
    ["a part of nothing", '{"version":1,"steps":[{"parts":[{}]}]}', "steps[0].parts[0]: must be one of { text }"],
    [
      "parts beside text",
      '{"version":1,"steps":[{"parts":[],"text":""}]}',
      "steps[0]: has `parts` together with `text`, `thinking` or `calls`",
    ],
    [
      "a slip in a placeholder",
      '{"version":1,\n"agents":{"lead":{"steps":[{"calls":[{"tool":"T","input":{"a":"{{resullt}}"}}]}]}}}',
      "script a.json:2, agents.lead.steps[0].calls[0].input.a: {{resullt}} is not a placeholder. Use one of said, result, agent, turn, cwd",
    ],
    ["an array", "[]", "script a.json:1: Invalid input: expected object"],
  ])("%s", async (_, content, message) => {
    expect(await problemOf(await write("a.json", content))).toContain(message);
  });

  test("missing file, or unknown file type", async () => {
    expect(await problemOf("gone.json")).toBe(
      `script gone.json does not exist (looked for ${join(folder, "gone.json")})`,
    );
    expect(await problemOf("gone.ts")).toBe(`script gone.ts does not exist (looked for ${join(folder, "gone.ts")})`);
    expect(await problemOf("a.yaml")).toContain("must be a .json, .js, .mjs or .ts file");
  });

  test("code without a default export", async () => {
    expect(await problemOf(await write("b.mjs", "export const a = 1;"))).toContain(
      "script b.mjs has no default export",
    );
  });

  test("code of the wrong form", async () => {
    expect(await problemOf(await write("c.mjs", "export default { version: 1, step: [] };"))).toContain(
      'script c.mjs: Unrecognized key: "step"',
    );
  });

  test("a call may omit its input", async () => {
    const name = await write("e.json", '{ "version": 1, "steps": [{ "calls": [{ "tool": "List" }] }] }');
    expect((await loadScriptedModel(name, { clock, cwd: folder })).unused()).toEqual(["steps[0]"]);
  });

  test("comments and trailing commas are allowed", async () => {
    const name = await write("d.json", '{ // a comment\n"version": 1, "steps": [{ "text": "x" },], }');
    expect((await loadScriptedModel(name, { clock, cwd: folder })).ref).toBe("scripted/d.json");
  });
});

/** Tests the shipped form: a bundle in a package, run by plain Node, with the script outside any package. */
describe("scripts in code, under plain Node", () => {
  let built: string;

  beforeAll(async () => {
    built = join(folder, "package", "dist");
    await bundle(join(repository, "src/testing.ts"), `${built}/`);
    await write(
      "package/package.json",
      JSON.stringify({ name: "troupe", type: "module", exports: { "./testing": "./dist/testing.js" } }),
    );
    await symlink(join(repository, "node_modules"), join(folder, "package", "node_modules"));
  });

  async function run(name: string): Promise<string> {
    const program = `
      const { loadScriptedModel, systemClock } = await import(process.argv[1]);
      try {
        const model = await loadScriptedModel(process.argv[2], { clock: systemClock, cwd: process.argv[3] });
        const caller = { agentPath: "lead", agentType: "", turn: 1, purpose: "answer" };
        const request = { system: [], tools: [], messages: [{ role: "user", parts: [{ type: "text", text: "hi" }] }], maxOutputTokens: 1, caller };
        for await (const event of model.stream(request, new AbortController().signal)) {
          if (event.type === "finished") console.log(event.answer.parts[0].text, model.contextWindow);
        }
      } catch (error) { console.log(error.code + ": " + error.message); }`;
    const args = ["--input-type=module", "-e", program, join(built, "testing.js"), name, folder];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    expect(stderr).toBe("");
    return stdout.trim();
  }

  test("TypeScript with types, a sibling, and troupe/testing", async () => {
    await write("scripts/words.ts", 'export const words: readonly string[] = ["good", "day"];');
    const name = await write(
      "scripts/a.ts",
      `import { script, type Ask } from "troupe/testing";
       import { words } from "./words.ts";
       interface Spoken { readonly text: string }
       const say = (ask: Ask): Spoken => ({ text: [...words, ask.said].join(" ") });
       export default script({ version: 1, model: { contextWindow: 5000 }, steps: [say] });`,
    );
    expect(await run(name)).toBe("good day hi 5000");
  });

  test("the example in the documentation", async () => {
    const docs = await readFile(join(repository, "docs/reference/script-format.md"), "utf8");
    const example = /```ts\n(.*?)```/s.exec(docs)?.[1] ?? "";
    expect(await run(await write("scripts/docs.ts", example))).toBe("Done. 100000");
  });

  test("plain modules", async () => {
    expect(
      await run(
        await write(
          "scripts/b.mjs",
          'import { script } from "troupe/testing"; export default script({ version: 1, steps: [{ text: "b" }] });',
        ),
      ),
    ).toBe("b 200000");
    expect(await run(await write("scripts/c.js", "export default () => ({ text: 'c' });"))).toBe("c 200000");
  });

  test("errors name the line", async () => {
    expect(await run(await write("scripts/d.ts", "const a: number = 1;\nconst b = ;\nexport default {};"))).toMatch(
      /^script: cannot load script scripts\/d\.ts:2: Expression expected$/,
    );
    expect(await run(await write("scripts/e.ts", "\nenum Color { Red }\nexport default {};"))).toMatch(
      /^script: cannot load script scripts\/e\.ts:2: TypeScript enum is not supported/,
    );
    expect(await run(await write("scripts/f.mjs", "\n\nconst b = ;"))).toMatch(
      /^script: cannot load script scripts\/f\.mjs:3: Unexpected token/,
    );
    expect(await run(await write("scripts/g.mjs", "\nthrow new Error('at once');"))).toBe(
      "script: cannot load script scripts/g.mjs:2: at once",
    );
    expect(await run(await write("scripts/h.mjs", 'import "./missing.mjs";'))).toContain("script scripts/h.mjs");
  });
});
