// Permissions, hooks, MCP servers, skills, slash commands, plan mode.
import { join } from "node:path";
import { bypass, call, calls, open, print, prompt, reply } from "./say.mjs";

const write = (name, content = `${name}\n`) => call("Write", { file_path: name, content });
const bash = (command) => call("Bash", { command });

const denied = {
  name: "permissions-denied",
  files: () => ({
    "a.txt": "one\n",
    ".troupe/settings.json": {
      permissions: { allow: ["Bash(echo yes:*)"], ask: ["Bash(git push:*)"], deny: ["Read(secret.txt)"] },
    },
    "secret.txt": "hidden\n",
  }),
  actors: {
    lead: [
      calls(write("b.txt")),
      calls(bash("echo yes sir")),
      calls(bash("git push origin")),
      calls(call("Read", { file_path: "secret.txt" })),
      calls(call("Read", { file_path: "/etc/hostname" })),
      calls(bash("echo yes && rm -rf a.txt")),
      { text: "Most was refused." },
    ],
  },
  async play(stage) {
    await print(stage, "try", "--trust", "--disallowedTools", "Bash(rm:*)");
    await stage.start(["permissions", "test", "Bash(rm -rf /)"]).done;
    await stage.start(["permissions", "list"]).done;
  },
};

const asked = {
  name: "permissions-asked",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      calls(write("b.txt")),
      calls(call("Read", { file_path: "a.txt" })),
      calls(call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" })),
      calls(bash("touch c.txt")),
      calls(bash("touch c.txt")),
      calls(bash("mkdir d")),
      { text: "Done, as far as I was let." },
    ],
  },
  async play(stage) {
    const run = open(stage);
    run.send(prompt("try", { id: "1" }));
    await reply(stage, run, 1, { behavior: "allow", scope: "once" });
    await reply(stage, run, 2, { behavior: "deny", message: "leave that file alone" });
    await reply(stage, run, 3, { behavior: "allow", scope: "session" });
    await reply(stage, run, 4, { behavior: "allow", scope: "always" });
    await stage.idle("lead", 1);
    run.end();
    await run.done;
  },
};

const hook = (command, more = {}) => [{ ...more, hooks: [{ type: "command", command }] }];
const hooks = {
  name: "hooks",
  files: () => ({
    "a.txt": "one\n",
    ".troupe/settings.json": {
      hooks: {
        SessionStart: hook("echo begun with care"),
        UserPromptSubmit: hook("grep -q FORBIDDEN && { echo not that word >&2; exit 2; } || echo more to know"),
        PreToolUse: [
          ...hook("grep -q forbidden.txt && { echo not that file >&2; exit 2; } || exit 0", { matcher: "Write" }),
          ...hook(
            'echo \'{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no reading"}}\'',
            { matcher: "Read" },
          ),
        ],
        PostToolUse: hook("echo seen >> ../seen.txt", { matcher: "Write" }),
        Stop: hook("test -e ../stopped && exit 0; touch ../stopped; echo one thing more >&2; exit 2"),
        SessionEnd: hook("exit 1"),
      },
    },
  }),
  actors: {
    lead: [
      calls(write("b.txt")),
      calls(write("forbidden.txt")),
      calls(call("Read", { file_path: "a.txt" })),
      { text: "Done." },
      { text: "Done indeed." },
    ],
  },
  async play(stage) {
    await print(stage, "go", ...bypass, "--trust", "--verbose");
    await print(stage, "FORBIDDEN", ...bypass, "--trust");
    await print(stage, "without trust", "--max-turns", "1");
  },
};

const mcp = {
  name: "mcp",
  files: ({ root }) => ({
    ".mcp.json": {
      mcpServers: {
        small: {
          command: process.execPath,
          args: [join(import.meta.dirname, "../mcp-server.mjs"), join(root, "ready")],
        },
      },
    },
  }),
  actors: {
    lead: [
      calls(call("mcp__small__add", { a: 2, b: 3 })),
      calls(call("mcp__small__fail", {})),
      calls(call("mcp__small__add", { a: "two" })),
      { text: "Five, I think." },
    ],
  },
  async play(stage) {
    // The server gets ready when the session waits for it, so that the wait is recorded in every run.
    const ready = () => stage.write("../ready", "");
    for (const [number, allowed] of [["--allowedTools", "mcp__small"], []].entries()) {
      void stage.seen(({ event }) => event.type === "turn.waiting", number + 1).then(ready);
      await print(stage, "add", "--trust", ...allowed);
    }
    ready();
    await stage.start(["mcp", "list", "--json"]).done;
  },
};

const skills = {
  name: "skills-and-commands",
  files: () => ({
    "a.txt": "one\n",
    ".troupe/skills/pdf/SKILL.md":
      "---\ndescription: Fills forms\nallowed-tools: Bash(echo:*)\n---\nFill it with care.\n",
    ".troupe/skills/pdf/form.txt": "name:\n",
    ".claude/commands/review.md":
      "---\ndescription: Review\nargument-hint: [file]\n---\n[actor lead] Review $1 closely: @a.txt\n\n$ARGUMENTS\n",
  }),
  actors: {
    lead: [calls(call("Skill", { skill: "pdf", name: "pdf" })), calls(bash("echo filled")), { text: "Reviewed." }],
  },
  async play(stage) {
    const start = (text, ...more) =>
      stage.start(["-p", text, "--output-format", "stream-json", "--model", "anthropic/claude-sonnet-4-5", ...more])
        .done;
    await start("/review a.txt now", "--trust");
    await start("/reveiw a.txt");
    await start("/help");
    await stage.start(["skills"]).done;
  },
};

const planned = {
  name: "plan-mode",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      calls(write("b.txt")),
      calls(call("ExitPlanMode", { plan: "1. Write all at once." })),
      calls(call("ExitPlanMode", { plan: "1. Write b.txt.\n2. Read it." })),
      calls(write("b.txt")),
      { text: "As planned." },
    ],
  },
  async play(stage) {
    const run = open(stage, "--permission-mode", "plan");
    run.send(prompt("plan it", { id: "1" }));
    await reply(stage, run, 1, { behavior: "deny", message: "smaller steps" });
    await reply(stage, run, 2, { behavior: "allow", permissionMode: "acceptEdits" });
    await stage.idle("lead", 1);
    run.end();
    await run.done;
  },
};

export const around = [denied, asked, hooks, mcp, skills, planned];
