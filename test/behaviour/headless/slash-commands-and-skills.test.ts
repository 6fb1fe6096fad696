import { describe, expect, test } from "vitest";
import { streamEnvelopes } from "../../support/cli/stream-envelopes.ts";
import { workplace } from "../../support/cli/workplace.ts";

const model = ["--model", "scripted/s.json"] as const;
const present = { text: "Here it is.", calls: [{ tool: "ExitPlanMode", input: { plan: "1. Do it.\n2. Check it." } }] };

describe("slash commands without a screen", () => {
  test("command is expanded, with piped input as arguments", async () => {
    const { run, write } = workplace();
    write(".claude/commands/review.md", "---\ndescription: Review\n---\nReview $1 closely.\n\n$ARGUMENTS\n");
    write("s.json", { version: 1, steps: [{ text: "{{said}}" }] });
    const { code, stdout, stderr } = await run(["-p", "/review src", ...model], { input: "the diff" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Review src closely.\n\nsrc\n\nthe diff");
  });

  test("unknown command fails and names the nearest one", async () => {
    const { run, write } = workplace();
    write(".claude/commands/review.md", "Review.\n");
    write("s.json", { version: 1, steps: [] });
    const { code, stdout, stderr } = await run(["-p", "/reveiw", ...model]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("there is no command /reveiw. Did you mean /review?");
  });

  test("in a stream of commands each is answered by its id", async () => {
    const { run, write } = workplace();
    write(".claude/commands/hello.md", "Say hello.\n");
    write("s.json", { version: 1, steps: [{ text: "Hello." }] });
    const lines = [
      { type: "prompt", id: "a", content: "/helo" },
      { type: "prompt", id: "b", content: "/hello" },
    ];
    const { stdout } = await run(["-p", "--input-format", "stream-json", "--output-format", "stream-json", ...model], {
      input: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    });
    const events = streamEnvelopes(stdout).map(({ event }) => event);
    expect(events.filter((event) => event.type === "command.settled")).toMatchObject([
      { commandId: "a", ok: false, code: "prompt" },
      { commandId: "b", ok: true },
    ]);
  });

  test("troupe skills and /help list all skills and their problems", async () => {
    const { run, write, cwd } = workplace();
    write(".claude/commands/git/push.md", "---\ndescription: Push it\nargument-hint: [remote]\n---\nPush.\n");
    write(".troupe/skills/pdf/SKILL.md", "---\ndescription: Forms\n---\nFill.\n");
    write(".troupe/skills/bad/SKILL.md", "---\ndescription: Forms\n");
    const { stdout, code } = await run(["skills", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      commands: [
        {
          name: "git:push",
          description: "Push it",
          argumentHint: "[remote]",
          source: `${cwd}/.claude/commands/git/push.md`,
          owner: "project",
          forModels: false,
        },
        {
          name: "pdf",
          description: "Forms",
          source: `${cwd}/.troupe/skills/pdf/SKILL.md`,
          owner: "project",
          forModels: true,
        },
      ],
      problems: [expect.stringContaining("bad/SKILL.md:1: the frontmatter is not closed")],
    });
    write("s.json", { version: 1, steps: [] });
    const help = await run(["-p", "/help", ...model]);
    expect(help.stdout).toContain("/git:push [remote]  Push it\n/pdf  Forms\n");
    const list = await run(["skills"]);
    expect(list.stdout).toMatch(/^command {2}\/git:push {2}Push it {2}\(.*\)\nskill {4}\/pdf {2}Forms/);
  });
});

describe("plan mode without a screen", () => {
  test("without a user to approve it, the plan is the answer", async () => {
    const { run, write } = workplace();
    write("s.json", { version: 1, steps: [present] });
    const text = await run(["-p", "make it", "--permission-mode", "plan", ...model]);
    expect({ code: text.code, stdout: text.stdout }).toEqual({
      code: 0,
      stdout: "Here it is.\n1. Do it.\n2. Check it.\n",
    });
    const json = await run(["-p", "make it", "--permission-mode", "plan", "--output-format", "json", ...model]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      subtype: "success",
      result: "Here it is.\n1. Do it.\n2. Check it.",
      permission_denials: [{ tool_name: "ExitPlanMode" }],
    });
  });

  test("user continues the plan in another mode", async () => {
    const { run, write } = workplace();
    write("s.json", { version: 1, steps: [present] });
    await run(["-p", "make it", "--permission-mode", "plan", ...model]);
    const make = { calls: [{ tool: "Write", input: { file_path: "made.txt", content: "x" } }] };
    write("s.json", { version: 1, steps: [make, { text: "Made: {{result}}" }] });
    const next = await run(["-p", "-c", "do it", "--permission-mode", "acceptEdits", ...model]);
    expect(next).toMatchObject({ code: 0, stdout: expect.stringContaining("Created") });
  });

  test("plan is approved over the stream, with the mode to continue in", async () => {
    const { start, write } = workplace();
    const make = { calls: [{ tool: "Write", input: { file_path: "made.txt", content: "x" } }] };
    write("s.json", { version: 1, steps: [present, make, { text: "Made: {{result}}" }] });
    const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--permission-mode", "plan"];
    const running = start([...args, ...model]);
    running.write(JSON.stringify({ type: "prompt", content: "make it" }));
    const seen = await running.saw(/"type":"permission\.asked"[^\n]*\n/);
    const [, requestId] = /"requestId":"(ask_\w+)"/.exec(seen) ?? [];
    const answer = { behavior: "allow", permissionMode: "acceptEdits" };
    running.write(JSON.stringify({ type: "permission.reply", requestId, answer }));
    running.end();
    const { code, stdout } = await running.done;
    expect(code).toBe(0);
    expect(stdout).toContain('"permissionMode":"acceptEdits"');
    expect(stdout).toContain("Made: Created");
  });
});
