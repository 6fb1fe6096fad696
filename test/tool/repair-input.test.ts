import { describe, expect, test } from "vitest";
import * as z from "zod";
import { builtinTools, defineTool, parseModelInput, textResult } from "../../src/tool/index.ts";

const toolNamed = (name: string) => {
  const tool = builtinTools().find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
};

describe("harmless variants of an input are accepted", () => {
  test.each([
    ["Read", { file_path: "a", offset: "3" }, { file_path: "a", offset: 3 }],
    ["Read", { path: "a" }, { file_path: "a" }],
    ["Read", { filePath: "a", limit: null }, { file_path: "a" }],
    ["Grep", { pattern: "x", "-C": "2", "-i": "true" }, { pattern: "x", "-C": 2, "-i": true }],
    [
      "Grep",
      { pattern: "x", include: "*.ts", output_mode: "Content" },
      { pattern: "x", glob: "*.ts", output_mode: "content" },
    ],
    ["Grep", { query: "x", outputMode: "files-with-matches" }, { pattern: "x", output_mode: "files_with_matches" }],
    [
      "Edit",
      { path: "a", oldString: "x", newString: "y", replaceAll: "False" },
      { file_path: "a", old_string: "x", new_string: "y", replace_all: false },
    ],
    ["Edit", { file: "a", old_str: "1", new_str: 2 }, { file_path: "a", old_string: "1", new_string: "2" }],
    ["Glob", { glob: "*.ts" }, { pattern: "*.ts" }],
    ["Write", { filename: "a", contents: "x" }, { file_path: "a", content: "x" }],
    ["Bash", { cmd: "ls", timeout: "5000" }, { command: "ls", timeout: 5000 }],
    [
      "NotebookEdit",
      { file_path: "a.ipynb", cell_number: "1", newSource: "x" },
      { notebook_path: "a.ipynb", cell_number: 1, new_source: "x" },
    ],
    ["TaskOutput", { taskId: "bg_1", block: "false" }, { task_id: "bg_1", block: false }],
  ])("%s %j", (name, input, value) => {
    expect(parseModelInput(toolNamed(name), input)).toEqual({ ok: true, value });
  });

  test("other names for the fields of SendMessage, Land and TeamCreate", () => {
    const input = z.strictObject({
      message: z.string().optional(),
      branches: z.array(z.string()).optional(),
      team_name: z.string().optional(),
    });
    const given = { content: "hear", branch: "troupe/dev", name: "docs" };
    expect(parseModelInput({ ...toolNamed("Read"), input }, given)).toEqual({
      ok: true,
      value: { message: "hear", branches: ["troupe/dev"], team_name: "docs" },
    });
  });

  test("other names for the fields of Agent and of the task tools", () => {
    const input = z.strictObject({
      plan_mode_required: z.boolean().optional(),
      team_name: z.string().optional(),
      taskId: z.coerce.string().optional(),
    });
    const tool = { ...toolNamed("Read"), input };
    const value = { plan_mode_required: true, team_name: "a", taskId: "3" };
    expect(parseModelInput(tool, { plan_required: "true", team: "a", task_id: 3 })).toEqual({ ok: true, value });
  });

  test.each([
    ["done", "completed"],
    ["Complete", "completed"],
    ["in progress", "in_progress"],
    ["todo", "pending"],
  ])("the status %s means %s", (status, value) => {
    const input = z.strictObject({ status: z.enum(["pending", "in_progress", "completed"]) });
    expect(parseModelInput({ ...toolNamed("Read"), input }, { status })).toEqual({
      ok: true,
      value: { status: value },
    });
  });

  test("lists and objects written as text", () => {
    const tool = defineTool({
      name: "Try",
      description: "",
      input: z.strictObject({
        blockedBy: z.array(z.int()).optional(),
        metadata: z.record(z.string(), z.string()).optional(),
      }),
      access: "read",
      subject: () => ({ kind: "none" }),
      title: () => "Try",
      execute: () => Promise.resolve(textResult("")),
    });
    const parsed = (input: unknown) => parseModelInput(tool, input);
    expect(parsed({ blockedBy: "2" })).toEqual({ ok: true, value: { blockedBy: [2] } });
    expect(parsed({ blockedBy: "#2, #3" })).toEqual({ ok: true, value: { blockedBy: [2, 3] } });
    expect(parsed({ blockedBy: "[1,2]" })).toEqual({ ok: true, value: { blockedBy: [1, 2] } });
    expect(parsed({ blocked_by: 4, metadata: '{"a":"b"}' })).toEqual({
      ok: true,
      value: { blockedBy: [4], metadata: { a: "b" } },
    });
  });

  test("a command line in place of a check", () => {
    const input = z.strictObject({
      acceptance: z.array(z.strictObject({ command: z.string(), timeoutMs: z.number().optional() })),
    });
    const tool = { ...toolNamed("Read"), input };
    const value = { acceptance: [{ command: "npm test" }, { command: "npm run lint" }] };
    expect(parseModelInput(tool, { acceptance: ["npm test", { command: "npm run lint" }] })).toEqual({
      ok: true,
      value,
    });
  });

  test("the input itself stays as the model wrote it", () => {
    const input = { path: "a", offset: "3" };
    parseModelInput(toolNamed("Read"), input);
    expect(input).toEqual({ path: "a", offset: "3" });
  });
});

describe("what would be a guess is refused, with the way out", () => {
  const messageFor = (name: string, input: unknown) => {
    const parsed = parseModelInput(toolNamed(name), input);
    return parsed.ok ? "accepted" : parsed.message;
  };

  test("a field that is similar to one that is already given", () => {
    expect(messageFor("Read", { file_path: "a", path: "b" })).toContain("`path`: no such field");
  });

  test("a field that is nothing like any other", () => {
    expect(messageFor("Read", { file_path: "a", purpose: "look" })).toContain(
      "`purpose`: no such field (file_path, offset, limit)",
    );
  });

  test("a misspelled field names the right one, and a dash stays a dash", () => {
    expect(messageFor("Read", { file_paht: "a" })).toContain("`file_paht`: no such field (did you mean file_path?)");
    expect(messageFor("Grep", { pattern: "x", "-C": "two" })).toContain("- `-C`: expected number, received string");
  });

  test("the error names only what is still wrong", () => {
    const message = messageFor("NotebookEdit", { path: "a.ipynb", cell_id: "a1", source: "x", edit_mode: "Replace" });
    expect(message).toContain("- `cell_number`: expected number, received string\nCorrect");
    expect(message).not.toMatch(/path|source|edit_mode|cell_id/);
  });

  test("numbers with words, and words for yes", () => {
    expect(messageFor("Read", { file_path: "a", offset: "line 3" })).toContain("`offset`");
    expect(messageFor("Edit", { file_path: "a", old_string: "x", new_string: "y", replace_all: "yes" })).toContain(
      "`replace_all`",
    );
  });
});
