import { describe, expect, test } from "vitest";
import * as z from "zod";
import { markdownProblemLine, parseMarkdown } from "../../../src/platform/index.ts";

const Fields = z.looseObject({
  name: z.string().optional(),
  tools: z.array(z.string()).optional(),
  max: z.number().optional(),
});

const read = async (text: string) => {
  const reading = await parseMarkdown(text, Fields);
  return reading.ok ? reading.file : reading.problems.map((problem) => markdownProblemLine("f.md", problem));
};

describe("frontmatter", () => {
  test("reads fields and body; keeps unknown fields; accepts a byte order mark and CRLF", async () => {
    expect(await read("---\nname: a\nother: 1\n---\n\nBody\n---\nmore")).toEqual({
      fields: { name: "a", other: 1 },
      body: "\nBody\n---\nmore",
    });
    expect(await read("\uFEFF---\r\nname: a\r\n---\r\nBody\r\n")).toEqual({ fields: { name: "a" }, body: "Body\n" });
  });

  test.each([
    ["no frontmatter", "# Title\n---\n", { fields: {}, body: "# Title\n---\n" }],
    ["an empty one", "---\n---\nBody", { fields: {}, body: "Body" }],
    ["nothing at all", "", { fields: {}, body: "" }],
  ])("%s", async (_, text, expected) => {
    expect(await read(text)).toEqual(expected);
  });

  test("lines that are not YAML are read as text, the others stay as they are", async () => {
    const text =
      '---\nname: Use this: when "it" fails\nhint: [a] [b]\ntools: [x, y]\nmax: 3\ntext: |\n  a: b: c\n---\n';
    expect(await read(text)).toEqual({
      fields: { name: 'Use this: when "it" fails', hint: "[a] [b]", tools: ["x", "y"], max: 3, text: "a: b: c\n" },
      body: "",
    });
  });

  test("problems name file, line and field", async () => {
    expect(await read("---\nname: a\nmax: many\n---\n")).toEqual(["f.md:3: max: expected number, received string"]);
    expect(await read("---\ntools:\n  - a\n  - 3\n---\n")).toEqual([
      "f.md:4: tools.1: expected string, received number",
    ]);
    expect(await read("---\nname: a\nno end")).toEqual([
      "f.md:1: the frontmatter is not closed: add a line of --- after its fields",
    ]);
    const [duplicate] = (await read("---\nname: a\nname: b\n---\n")) as string[];
    expect(duplicate).toMatch(/^f\.md:3: not valid YAML: Map keys must be unique/);
    const [list] = (await read("---\n- a\n- b\n---\n")) as string[];
    expect(list).toMatch(/^f\.md:2: /);
  });

  test("an alias bomb and a prototype are only data", async () => {
    const bomb = [
      "a: &a [x,x,x,x,x,x,x,x,x]",
      ...["b", "c", "d", "e", "f"].map(
        (key, index) => `${key}: &${key} [${Array(9).fill(`*${"abcdef"[index]}`).join(",")}]`,
      ),
    ];
    const reading = await read(`---\n${bomb.join("\n")}\n---\n`);
    expect(reading).toEqual([expect.stringMatching(/^f\.md:\d+: not valid YAML: Excessive alias count/)]);
    await read("---\n__proto__:\n  polluted: 1\n---\n");
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
