import { describe, expect, test } from "vitest";
import { fillArguments } from "../../../src/session/slash-commands/fill-arguments.ts";
import { loadConfig, trustFolder } from "../../../src/session/index.ts";
import { call, slashSession } from "../../support/session/slash-session.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const done = [{ text: "Done." }];

describe("arguments", () => {
  test.each([
    ["all: $ARGUMENTS.", "a b", "all: a b."],
    ["$1 then $2, $3|", "a 'b c'", "a then b c, |"],
    ['$1 "$2"', 'x "y z"', 'x "y z"'],
    ["costs $1.50 and $100, ends with $1.", "a", "costs $1.50 and $100, ends with a."],
    ["no place", "a b", "no place\n\nArguments: a b\n"],
    ["no place", "", "no place"],
    ["$ARGUMENTS", "$1 $ARGUMENTS", "$1 $ARGUMENTS"],
    ["$1", "$& $$ $'", "$&"],
  ])("%j with %j", (text, args, expected) => {
    expect(fillArguments(text, args)).toBe(expected);
  });
});

describe("prompt that calls a command", () => {
  test("becomes its text with the arguments, typed words first; a named file is attached", async () => {
    const { session, said } = await slashSession({
      files: {
        "project/.troupe/commands/review.md":
          "---\ndescription: Review a file\n---\nReview @$1 and @missing.ts, as @docs/rules.md says. Mail me@example.com.\n",
        "project/src/a.ts": "export const a = 1;\n",
        "project/docs/rules.md": "Be kind.\n",
      },
      steps: done,
    });
    await session.ask("/review src/a.ts");
    expect(said(0)).toBe(
      [
        "/review src/a.ts",
        "",
        '<command name="review">',
        "Review @src/a.ts and @missing.ts, as @docs/rules.md says. Mail me@example.com.",
        "</command>",
        '<file path="src/a.ts">',
        "export const a = 1;",
        "</file>",
        '<file path="docs/rules.md">',
        "Be kind.",
        "</file>",
      ].join("\n"),
    );
  });

  test("plain prompt attaches the files that it names, if the agent may read them", async () => {
    const { session, said } = await slashSession({
      files: {
        "project/docs/rules.md": "Be kind.\n",
        "project/secret/key.txt": "denied words",
        "home/x.txt": "private",
      },
      steps: done,
      more: { disallowedTools: ["Read(./secret/**)"] },
    });
    await session.ask("follow @docs/rules.md, not @secret/key.txt, @../home/x.txt or me@example.com");
    expect(said(0)).toBe(
      [
        "follow @docs/rules.md, not @secret/key.txt, @../home/x.txt or me@example.com",
        '<file path="docs/rules.md">\nBe kind.\n</file>',
      ].join("\n"),
    );
  });

  test("attaches nothing that the agent could not read itself: outside, denied, or with a secret", async () => {
    const { session, said, tree } = await slashSession({
      files: {
        "home/.claude/commands/look.md": "See @../home/private.txt @/etc/passwd @secret/key.txt @plain.txt\n",
        "home/private.txt": "private words",
        "project/secret/key.txt": "denied words",
        "project/plain.txt": `token ghp_${"a1".repeat(18)}\n`,
      },
      steps: done,
      more: { disallowedTools: ["Read(./secret/**)"] },
    });
    await session.ask("/look");
    expect(tree.path("home")).toBeTruthy();
    expect(said(0)).not.toMatch(/private words|denied words|root:|a1a1a1/);
    expect(said(0)).toContain('<file path="plain.txt">\ntoken [redacted: github token]\n</file>');
  });

  test("arguments are not searched for files or commands", async () => {
    const { session, said } = await slashSession({
      files: { "project/.claude/commands/say.md": "Say: $ARGUMENTS\n", "project/a.txt": "content of a" },
      steps: done,
    });
    await session.ask("/say @a.txt and !`date`");
    expect(said(0)).toContain("Say: @a.txt and !`date`");
    expect(said(0)).not.toContain("content of a");
  });

  test("lines to run become instructions for the model to run them with the usual checks", async () => {
    const { session, said, all } = await slashSession({
      files: { "project/.claude/commands/commit.md": "Status: !`touch ran && git status $1`\n\nCommit it.\n" },
      steps: done,
    });
    await session.ask("/commit --short");
    expect(said(0)).toContain("Status: [the output of `touch ran && git status --short`: run it before you continue]");
    expect(all("tool.called")).toEqual([]);
  });

  test("in a folder by full name, or by the last part if unique; skills too", async () => {
    const { session, said } = await slashSession({
      files: {
        "project/.claude/commands/git/push.md": "Push it.\n",
        "project/.claude/commands/git/tag.md": "Tag it with git.\n",
        "home/.troupe/commands/other/tag.md": "Tag it otherwise.\n",
        "home/.troupe/skills/pdf/SKILL.md": "---\ndescription: Forms.\n---\nFill in $1.\n",
      },
      steps: [...done, ...done, ...done],
    });
    await session.ask("/git:push");
    await session.ask("/push");
    await session.ask("/pdf form.pdf");
    expect([0, 1, 2].map((index) => said(index).split("\n")[0])).toEqual(["/git:push", "/git:push", "/pdf form.pdf"]);
    expect(said(2)).toContain("Fill in form.pdf.");
    await expect(session.ask("/tag")).rejects.toThrow("/tag is ambiguous. Use /git:tag or /other:tag.");
  });

  test("an unknown name is refused with the nearest one; the model gets nothing", async () => {
    const { session, model, all } = await slashSession({
      files: { "project/.claude/commands/review.md": "Review.\n" },
    });
    await expect(session.ask("/reveiw src")).rejects.toMatchObject({
      code: "prompt",
      message: "there is no command /reveiw. Did you mean /review? To send it as a prompt, start with a space.",
    });
    await expect(session.ask("/zzzzzzzz")).rejects.toThrow("Use /help to list all commands.");
    expect(model.calls).toEqual([]);
    expect(all("prompt.admitted")).toEqual([]);
  });

  test.each(["/usr/bin/env is broken", "/tmp is full", " /review as it is", "// a comment", "/", "/ x", "a /review"])(
    "%j is an ordinary prompt",
    async (prompt) => {
      const { session, said } = await slashSession({
        files: { "project/.claude/commands/review.md": "Review.\n" },
        steps: done,
      });
      await session.ask(prompt);
      expect(said(0)).toBe(prompt);
    },
  );

  test("with an image: the text is expanded, the image stays", async () => {
    const { session, said } = await slashSession({
      files: { "project/.claude/commands/draw.md": "Draw it.\n" },
      steps: done,
    });
    await session.ask([
      { type: "text", text: "/draw" },
      { type: "image", mediaType: "image/png", data: "AAAA" },
    ]);
    expect(said(0)).toMatch(/^\/draw\n\n<command name="draw">\nDraw it\.\n<\/command>\n\[image\]$/);
  });

  test("broken and hidden ones are reported at the start; /help lists the rest", async () => {
    const { session, all, close } = await slashSession({
      files: {
        "project/.claude/commands/compact.md": "Mine.\n",
        "project/.claude/commands/broken.md": "---\nmodel: x\n",
        "project/.claude/commands/twice.md": "one\n",
        "home/.claude/commands/twice.md": "two\n",
        "home/.claude/commands/ok.md": "---\ndescription: All right\nargument-hint: [x]\n---\nOk.\n",
      },
    });
    const { text } = await session.ask("/help");
    expect(text).toBe(
      [
        "/compact [what to keep]  replace older turns by a summary",
        "/help  list all commands",
        "/ok [x]  All right",
        "/twice  one",
      ].join("\n"),
    );
    await close();
    expect(all("notice.raised").flatMap(({ level, message }) => (level === "warning" ? [message] : []))).toEqual([
      expect.stringMatching(/broken\.md:1: the frontmatter is not closed.*; the command is ignored$/),
      expect.stringMatching(/compact\.md is ignored: \/compact is a built-in command$/),
      expect.stringMatching(/home\/\.claude\/commands\/twice\.md is ignored: .*project.* already defines \/twice$/),
    ]);
  });

  test("/compact shortens the conversation", async () => {
    const { session, model, all } = await slashSession({
      steps: [{ text: "One." }, { text: "The summary." }, { text: "Two." }],
    });
    await expect(session.ask("/compact")).rejects.toThrow("there is nothing to compact yet");
    await session.ask("first");
    await session.ask("/compact keep the names");
    expect(all("context.compacted")).toMatchObject([{ trigger: "asked", summary: "The summary." }]);
    expect(JSON.stringify(model.calls[1]?.ask.request.messages)).toContain("keep the names");
    await session.ask("second");
    model.assertAllUsed();
  });
});

describe("tools and model of a command", () => {
  const touch = call("Bash", { command: "touch made" });

  test("those of a user's command last until the next prompt", async () => {
    const { session, results, all, tree } = await slashSession({
      files: {
        "home/.claude/commands/make.md":
          "---\nallowed-tools: Bash(touch made)\nmodel: scripted/other.json\n---\nMake it.\n",
        "project/other.json": { version: 1, steps: [touch, { text: "From the other." }] },
      },
      steps: [touch, { text: "From the first." }],
    });
    expect((await session.ask("/make")).text).toBe("From the other.");
    expect((await session.ask("again")).text).toBe("From the first.");
    expect(results().map(({ outcome }) => outcome)).toEqual(["ok", "denied"]);
    expect(all("turn.started").map(({ model }) => model)).toEqual([
      expect.stringContaining("other.json"),
      expect.stringContaining("other.json"),
      "scripted/script",
      "scripted/script",
    ]);
    expect(tree.root).toBeTruthy();
  });

  test("those of an untrusted project are not used, with a notice", async () => {
    const { session, results, all, close } = await slashSession({
      files: {
        "project/.claude/commands/make.md": "---\nallowed-tools: Bash\nmodel: scripted/evil.mjs\n---\nMake it.\n",
        "project/evil.mjs": "import { writeFileSync } from 'node:fs'; writeFileSync('ran', ''); export default {};",
      },
      steps: [touch, { text: "Done." }],
    });
    await session.ask("/make");
    expect(results().map(({ outcome }) => outcome)).toEqual(["denied"]);
    await close();
    expect(all("notice.raised").map(({ message }) => message)).toEqual([
      expect.stringMatching(/^this folder is not trusted, .*\.claude\/commands\/make\.md \(allowed-tools, model\)/),
    ]);
  });

  test("those of a trusted project are used until they differ from what was shown", async () => {
    const command = (tools: string) => `---\nallowed-tools: ${tools}\n---\nMake it.\n`;
    const tree = tempTree({ "project/.claude/commands/make.md": command("Bash(touch made)") });
    tree.folder("home/.troupe");
    const cwd = tree.path("project");
    const { untrusted, home } = await loadConfig({ cwd, env: { HOME: tree.path("home") }, trust: "none" });
    expect(untrusted).toEqual([
      { key: "allowed-tools", value: ["Bash(touch made)"], source: tree.path("project/.claude/commands/make.md") },
    ]);
    await trustFolder(home, { cwd, withheld: untrusted, now: Date.now() });

    const run = async () => {
      const { session, results, close } = await slashSession({ tree, steps: [touch, { text: "Done." }] });
      await session.ask("/make");
      await close();
      return results()[0]?.outcome;
    };
    expect(await run()).toBe("ok");
    tree.write("project/.claude/commands/make.md", command("Bash"));
    expect(await run()).toBe("denied");
  });
});
