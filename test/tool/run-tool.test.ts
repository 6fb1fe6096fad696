import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  boundOutcome,
  builtinTools,
  cleanText,
  defineTool,
  executeTool,
  parseInput,
  selectTools,
  textResult,
  type ToolContext,
  toolSpecs,
} from "../../src/tool/index.ts";
import { wholeCharacters } from "../../src/tool/output/clean-text.ts";

const context = (signal = new AbortController().signal) => ({ signal }) as ToolContext;
const Input = z.strictObject({ name: z.string(), list: z.array(z.object({ count: z.number() })).optional() });
const toolOf = (execute: () => Promise<ReturnType<typeof textResult>>) =>
  defineTool<z.infer<typeof Input>>({
    name: "Try",
    description: "",
    input: Input,
    access: "read",
    subject: () => ({ kind: "none" }),
    title: () => "Try",
    execute,
  });

describe("parseInput", () => {
  it("names each wrong field", () => {
    const tool = toolOf(() => Promise.resolve(textResult("")));
    expect(parseInput(tool, { name: "x" })).toEqual({ ok: true, value: { name: "x" } });
    const results = [{ list: [{ count: "x" }], nmae: 1 }, null, "text", [], { name: 1, ["__proto__x"]: 2 }].map(
      (input) => parseInput(tool, input),
    );
    expect(results.map((result) => (result.ok ? "ok" : result.message)).join("\n\n")).toMatchSnapshot();
  });
});

describe("executeTool", () => {
  it("turns a throw into a failed outcome, and into an interrupted one after an abort", async () => {
    const abort = new AbortController();
    const throwing = toolOf(() => Promise.reject(new Error("broken")));
    expect(await executeTool(throwing, { name: "" }, context(abort.signal))).toEqual({
      outcome: "failed",
      content: [{ type: "text", text: "Try failed: broken" }],
    });
    const aborting = toolOf(() => {
      abort.abort();
      return Promise.reject(new Error("broken"));
    });
    expect(await executeTool(aborting, { name: "" }, context(abort.signal))).toMatchObject({ outcome: "interrupted" });
    expect(await executeTool(throwing, { name: "" }, context(abort.signal))).toEqual({
      outcome: "interrupted",
      content: [{ type: "text", text: "Try was interrupted before it started." }],
    });
  });
});

describe("boundOutcome", () => {
  const saved: [string, string][] = [];
  const save = (name: string, data: string) => {
    saved.push([name, data]);
    return Promise.resolve("/saved/result.txt");
  };

  it("leaves short text unchanged", async () => {
    const outcome = { outcome: "ok" as const, content: [{ type: "text" as const, text: "short" }] };
    expect(await boundOutcome(outcome, { save })).toEqual(outcome);
    expect(saved).toEqual([]);
  });

  it("cuts the middle, says how much, and saves the whole text", async () => {
    const whole = Array.from({ length: 2000 }, (_, i) => `line ${i}`).join("\n");
    const image = { type: "image" as const, mediaType: "image/png", data: "" };
    const bounded = await boundOutcome(
      { outcome: "ok", content: [{ type: "text", text: whole }, image] },
      { save, limit: 300 },
    );
    expect(saved.at(-1)).toEqual(["result.txt", whole]);
    expect(bounded.savedTo).toBe("/saved/result.txt");
    expect(bounded.content[1]).toEqual(image);
    expect(bounded.content[0]).toMatchInlineSnapshot(`
      {
        "text": "line 0
      line 1
      line 2
      line 3
      line 4
      line 5
      line 6
      line 7
      line 8
      line 9
      line 10
      line 11
      line 12
      line 13
      line 14
      line 15
      line 16
      line 17
      line 18
      line 19
      line 20
      line 21
      line 22
      line 23
      line 24
      line 25

      [… 18593 characters cut here. The full text is in /saved/result.txt: read parts of that file, or search in it.]

      line 1990
      line 1991
      line 1992
      line 1993
      line 1994
      line 1995
      line 1996
      line 1997
      line 1998
      line 1999",
        "type": "text",
      }
    `);
  });

  it("never leaves half a character", async () => {
    const bounded = await boundOutcome(
      { outcome: "ok", content: [{ type: "text", text: "😀".repeat(1000) }] },
      { save, limit: 101 },
    );
    const [part] = bounded.content;
    expect(part?.type === "text" && /\p{Surrogate}/u.test(part.text)).toBe(false);
  });
});

describe("cleanText", () => {
  it.each([
    ["plain \t\n text äöü 😀", "plain \t\n text äöü 😀"],
    ["\x1b[1;31mred\x1b[0m", "red"],
    ["\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab"],
    ["\x1bP1;2q data\x1b\\x", "x"],
    ["\x9b31mc1\x9d52;c;aGk=\x9c", "c1"],
    ["a\r\nb\rc", "a\nb\nc"],
    ["\x00\x07\x0b\x7f\x1b", ""],
    ["lone \ud800 and \udc00", "lone \ufffd and \ufffd"],
    ["un\x1b]terminated", "unterminated"],
  ])("%j", (text, clean) => expect(cleanText(text)).toBe(clean));

  it("takes linear time on hostile text", () => {
    expect(cleanText("\x1b]".repeat(50_000)).length).toBeLessThan(100_001);
    expect(cleanText("\x1b[".repeat(50_000)).length).toBeLessThan(100_001);
    expect(wholeCharacters("\udc00x\ud800")).toBe("x");
  });
});

describe("toolSpecs", () => {
  it("are the same bytes in whatever order the tools come", () => {
    const specs = toolSpecs(builtinTools());
    expect(JSON.stringify(toolSpecs([...builtinTools()].reverse()))).toBe(JSON.stringify(specs));
    expect(specs).toMatchSnapshot();
  });
});

describe("selectTools", () => {
  const tools = builtinTools();
  const names = (selection: Parameters<typeof selectTools>[1]) => {
    const { tools: selected, unknown } = selectTools(tools, selection);
    return { tools: selected.map((tool) => tool.name), unknown };
  };
  it("selects and leaves out by name", () => {
    expect(names({ allowed: ["Read", "Grep", "Bash"], disallowed: ["Bash"] })).toEqual({
      tools: ["Grep", "Read"],
      unknown: [],
    });
    expect(names({}).tools).toHaveLength(tools.length);
    expect(names({ disallowed: ["*"] }).tools).toEqual([]);
  });
  it("reports unknown names with the nearest ones", () => {
    expect(names({ allowed: ["Raed", "Nonsense"], disallowed: ["bash"] })).toEqual({
      tools: [],
      unknown: [
        { name: "Raed", nearest: "Read" },
        { name: "Nonsense", nearest: undefined },
        { name: "bash", nearest: "Bash" },
      ],
    });
  });
});
