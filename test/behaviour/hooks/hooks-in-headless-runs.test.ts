import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processesWith, until } from "../../support/processes/live-processes.ts";
import { bypass, workplace, type Workplace } from "../../support/cli/workplace.ts";

const call = (tool: string, input: object) => ({ text: "x", calls: [{ tool, input }] });
const command = (line: string, more: object = {}) => ({ type: "command", command: line, ...more });

/** A project set up for another agent: settings, and scripts found through CLAUDE_PROJECT_DIR. */
function claudeProject(place: Workplace): void {
  const script = (name: string) => command(`"$CLAUDE_PROJECT_DIR"/.claude/hooks/${name}`);
  place.write(".claude/settings.json", {
    $schema: "https://json.schemastore.org/claude-code-settings.json",
    model: "opus",
    hooks: {
      PreToolUse: [{ matcher: "Bash", hooks: [script("check-command.sh")] }],
      PostToolUse: [{ matcher: "Edit|Write|MultiEdit", hooks: [script("format.sh")] }],
      UserPromptSubmit: [{ hooks: [script("prompt.sh")] }],
      SessionStart: [{ matcher: "startup", hooks: [script("start.sh")] }],
      Stop: [{ hooks: [script("stop.sh")] }],
      SubagentStop: [{ hooks: [script("stop.sh")] }],
    },
  });
  const scripts = {
    "check-command.sh": `#!/bin/bash
input=$(cat)
if grep -q '"command":"[^"]*rm -rf' <<<"$input"; then
  echo "rm -rf is not allowed here: move it to the trash folder" >&2
  exit 2
fi
exit 0
`,
    "format.sh": `#!/bin/bash
path=$(sed -n 's/.*"tool_input":{"file_path":"\\([^"]*\\)".*/\\1/p')
[[ -f $path ]] && tr a-z A-Z < "$path" > "$path.tmp" && mv "$path.tmp" "$path"
`,
    "prompt.sh": `#!/bin/sh
if grep -q password; then echo '{"decision":"block","reason":"no passwords in prompts"}'; exit 0; fi
echo "the branch is frozen"
`,
    "start.sh": `#!/bin/sh
cat > "$CLAUDE_PROJECT_DIR/start.json"
echo '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"the build is red"}}'
`,
    "stop.sh": `#!/bin/bash
input=$(cat)
path=$(sed -n 's/.*"transcript_path":"\\([^"]*\\)".*/\\1/p' <<<"$input")
[[ -s $path ]] || exit 1
grep -q '"stop_hook_active":true' <<<"$input" && exit 0
echo '{"decision":"block","reason":"say goodbye first"}'
`,
  };
  for (const [name, text] of Object.entries(scripts)) chmodSync(place.write(`.claude/hooks/${name}`, text), 0o755);
}

describe("hooks written for another agent", () => {
  const steps = [
    call("Bash", { command: "rm -rf build" }),
    call("Bash", { command: "echo fine" }),
    call("Write", { file_path: "note.txt", content: "quiet\n" }),
    { text: "I am done." },
    { text: "Goodbye." },
  ];

  test("hooks run unchanged in a trusted folder, and all their effects are reported", async () => {
    const place = workplace();
    claudeProject(place);
    place.write("s.json", { version: 1, steps });
    place.write("build/keep", "");
    const args = ["-p", "go", "--model", "scripted/s.json", "--trust", "--output-format", "stream-json", ...bypass];
    const { stdout, stderr, code } = await place.run(args);
    expect(code, stderr).toBe(0);
    const events = stdout
      .trim()
      .split("\n")
      // The last line is the result.
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { event: { type: string; [key: string]: unknown } }).event);
    const of = (type: string) => events.filter((event) => event.type === type);
    expect(of("hook.ran").map(({ hook, outcome }) => `${String(hook)} ${String(outcome)}`)).toEqual([
      "SessionStart passed",
      "UserPromptSubmit passed",
      "PreToolUse blocked",
      "PreToolUse passed",
      "PostToolUse passed",
      "Stop blocked",
      "Stop passed",
    ]);
    expect(existsSync(join(place.cwd, "build/keep"))).toBe(true);
    expect(readFileSync(join(place.cwd, "note.txt"), "utf8")).toBe("QUIET\n");
    expect(JSON.stringify(of("tool.settled")[0])).toContain("move it to the trash folder");
    expect(JSON.stringify(of("prompt.admitted")[0])).toMatch(/the build is red.*go.*the branch is frozen/);
    expect(JSON.stringify(of("prompt.admitted")[1])).toContain("say goodbye first");
    const start = JSON.parse(readFileSync(join(place.cwd, "start.json"), "utf8")) as { transcript_path: string };
    expect(start).toMatchObject({ hook_event_name: "SessionStart", source: "startup", cwd: place.cwd });
    expect(start).not.toHaveProperty("agent_id");
    expect(existsSync(start.transcript_path)).toBe(true);
    expect(of("notice.raised")).toEqual([]);
  });

  test("blocked prompt fails the run with the reason", async () => {
    const place = workplace();
    claudeProject(place);
    place.write("s.json", { version: 1, steps: [{ text: "never" }] });
    const { stdout, stderr, code } = await place.run(["-p", "my password", "--model", "scripted/s.json", "--trust"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("a hook blocked the prompt: no passwords in prompts");
  });

  test("--verbose shows all hooks; without it only failures are shown", async () => {
    const place = workplace();
    const hooks = { PreToolUse: [{ hooks: [command("true")] }], PostToolUse: [{ hooks: [command("exit 3")] }] };
    place.write("s.json", { version: 1, steps: [call("Bash", { command: "echo hi" }), { text: "done" }] });
    const args = ["-p", "go", "--model", "scripted/s.json", "--settings", JSON.stringify({ hooks }), ...bypass];
    const quiet = await place.run(args);
    expect(quiet.stderr).toMatch(
      /^troupe: the PostToolUse hook "exit 3" from --settings failed: exit code 3; it is ignored\n$/,
    );
    const { stderr } = await place.run([...args, "--verbose"]);
    expect(stderr).toMatch(/hook PreToolUse passed in \d+ ms: true\n/);
    expect(stderr).toMatch(/hook PostToolUse failed in \d+ ms: exit 3\n/);
  });
});

test("hook does not outlive the program, however the program ends", async () => {
  const place = workplace();
  const token = `hook-${process.pid}-${Date.now()}`;
  const hooks = { PreToolUse: [{ hooks: [command(`(setsid sleep 300 &) ; echo up; sleep 300; : ${token}`)] }] };
  place.write("s.json", { version: 1, steps: [call("Bash", { command: "echo hi" })] });
  const args = ["-p", "go", "--model", "scripted/s.json", "--settings", JSON.stringify({ hooks }), ...bypass];
  const running = place.start(args, { input: "", env: { HOOK_TOKEN: token } });
  const children = () => processesWith(token).filter((pid) => pid !== running.child.pid);
  await until("the hook and what it left behind run", () => children().length >= 3);
  running.child.kill("SIGKILL");
  await running.done;
  await until("they are gone", () => children().length === 0);
});
