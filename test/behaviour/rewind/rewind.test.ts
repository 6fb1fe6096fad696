import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";
import { openTerminal } from "../../support/terminal/open-terminal.ts";

/** A model that runs each prompt as a command. */
const script = `export default ({ said, results }) =>
  results.length > 0 || said.startsWith("say")
    ? { text: "Done: " + said }
    : { calls: [{ tool: "Bash", input: { command: said } }] };
`;

function place(): Workplace & { flags: string[]; read(name: string): string } {
  const made = workplace();
  const file = join(made.home, "script.mjs");
  writeFileSync(file, script);
  return {
    ...made,
    flags: ["--model", `scripted/${file}`, "--permission-mode", "bypassPermissions"],
    read: (name) => readFileSync(join(made.cwd, name), "utf8"),
  };
}

test("Esc Esc goes back to a prompt in the terminal, and forward again; /diff shows the changes", async () => {
  const { read, flags, ...at } = place();
  const terminal = openTerminal(at, flags, { columns: 100, rows: 40 });
  await terminal.see("Describe a task");
  for (const command of ["echo one > a.txt", "echo two > a.txt"]) {
    terminal.type(command);
    await terminal.see(`❯ ${command}`);
    terminal.press("Enter");
    await terminal.see(`Done: ${command}`);
  }
  terminal.press("Escape");
  terminal.press("Escape");
  await terminal.see("Rewind: go back");
  terminal.press("Enter");
  await terminal.see("Files and conversation");
  terminal.press("Enter");
  await terminal.see("Back to the moment before the prompt “echo two > a.txt”: the conversation and 1 file.");
  // The prompt is ready to be sent again.
  await terminal.see(/❯ echo two > a\.txt\n─/);
  expect(read("a.txt")).toBe("one\n");
  terminal.press("C-c");
  terminal.type("/diff");
  await terminal.see("show the files that this session changed");
  terminal.press("Enter");
  await terminal.see("+one");
  terminal.press("Escape");
  await terminal.lose("Changes of this session");
  terminal.type("/rewind");
  await terminal.see("go back to an earlier prompt");
  terminal.press("Enter");
  await terminal.see("rewind: Back to the moment");
  terminal.press("Enter");
  await terminal.see("Files and conversation");
  terminal.press("Enter");
  await terminal.see("Back to the moment before “Back to");
  expect(read("a.txt")).toBe("two\n");
  terminal.press("C-d");
  await terminal.ended();
});

test("sessions are rewound, compared and forked from a shell and over standard input", async () => {
  const { run, start, cwd, read, flags } = place();
  const ask = async (...words: string[]) => {
    const done = await run(["-p", ...flags, "--output-format", "json", ...words]);
    expect(done.stderr).toBe("");
    return JSON.parse(done.stdout) as { session_id: string };
  };
  await ask("echo 1 > a");
  const { session_id: id } = await ask("--continue", "echo 2 > a; touch b");
  const points = (await run(["sessions", "rewind", id, "--json"])).stdout.trim().split("\n");
  const [first, second] = points.map((line) => JSON.parse(line) as { id: string; text: string });
  expect(second?.text).toBe("echo 2 > a; touch b");
  expect((await run(["diff", "--stat"])).stdout).toContain("2 files changed");
  expect((await run(["diff", id, "--prompt", first?.id ?? ""])).stdout).toContain("+1");

  expect((await run(["sessions", "rewind", id, second?.id ?? ""])).stdout).toBe(
    "Back to the moment before the prompt “echo 2 > a; touch b”: the conversation and 2 files.\n",
  );
  expect(read("a")).toBe("1\n");
  expect(existsSync(join(cwd, "b"))).toBe(false);
  const fork = JSON.parse((await run(["sessions", "fork", id, "--at", first?.id ?? "", "--json"])).stdout) as {
    sessionId: string;
  };
  const shown = (await run(["sessions", "show", fork.sessionId])).stdout;
  expect(shown).toContain("- State: open");
  expect(shown).not.toContain("echo 1");

  const streams = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const running = start(["-p", ...flags, "--resume", id, ...streams]);
  running.write(JSON.stringify({ type: "rewind", id: "r", to: first?.id, what: "files" }));
  await running.saw(/"commandId":"r"/);
  running.end();
  expect((await running.done).stdout).toContain('"type":"agent.rewound"');
  expect(existsSync(join(cwd, "a"))).toBe(false);
  expect((await run(["sessions", "rewind", id, "prm_none"])).stderr).toContain("the session has no such prompt");
});
