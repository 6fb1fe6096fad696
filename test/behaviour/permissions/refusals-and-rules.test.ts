import { expect, test } from "vitest";
import { workplace } from "../../support/cli/workplace.ts";

const bash = (command: string) => ({ calls: [{ tool: "Bash", input: { command } }] });
const playing = (...lines: string[]) => ({
  version: 1,
  steps: [...lines.flatMap(bash), { text: "done" }],
});

/** Runs the lines without a user, and returns the results that the model reads. */
async function results(lines: readonly string[], ...flags: string[]) {
  const place = workplace();
  place.write("s.json", playing(...lines));
  place.write("test.js", `console.log("it ran");`);
  const args = ["-p", "go", "--model", "scripted/s.json", ...flags];
  const { stderr } = await place.run(args);
  const { stdout } = await place.run([...args, "--output-format", "stream-json"]);
  const settled = stdout
    .split("\n")
    .filter((line) => line.includes('"tool.settled"'))
    .map((line) => (JSON.parse(line) as { event: { outcome: string; content: { text: string }[] } }).event);
  return { stderr, stdout, settled: settled.map(({ outcome, content }) => `${outcome}: ${content[0]?.text}`) };
}

test("a model without a user reads the part, the reason, the allowed rest and the narrowest rule", async () => {
  const { settled } = await results([`ls; npm install left-pad`]);
  expect(settled).toMatchInlineSnapshot(`
    [
      "denied: Not run: \`npm install left-pad\` needs permission (npm is not among the read-only commands), and no user is available to give it. The rest of the line is allowed: run it by itself. If you cannot do without it, say so in your answer: the user can allow it with --allowedTools "Bash(npm install:*)".",
    ]
  `);
});

test("a line that bash cannot parse fails, and is not refused", async () => {
  const allowed = await results([`echo "open`], "--allowedTools", "Bash");
  expect(allowed.settled).toEqual(["failed: bash cannot parse this: unterminated double quote. Nothing was run."]);
  const without = await results([`echo "open`]);
  expect(without.settled).toEqual(allowed.settled);
});

test("a full-screen program fails, whatever the rules allow, and no rule for it is proposed", async () => {
  const without = await results(["vim test.js", "sleep 500"]);
  expect(without.settled[0]).toMatch(/^failed: Not run: vim is a full-screen program/);
  expect(without.settled[1]).toMatch(/^failed: Not run: this line only waits/);
  const allowed = await results(["vim test.js", "sleep 500"], "--allowedTools", "Bash");
  expect(allowed.settled).toEqual(without.settled);
  expect(without.stdout).not.toContain("permission.asked");
});

test("--allowedTools 'Bash(node:*)' allows node, with one warning of what that means", async () => {
  const { settled, stderr, stdout } = await results(["node test.js"], "--allowedTools", "Bash(node:*)");
  expect(settled).toEqual(["ok: it ran"]);
  expect(stderr.match(/Bash\(node:\*\).* lets agents run any code/g)).toHaveLength(1);
  expect(stdout.match(/"notice\.raised".*lets agents run any code/g)).toHaveLength(1);
});

test("a rule that matches nothing is reported at the start and by doctor", async () => {
  const { stderr } = await results(["ls"], "--allowedTools", "Bash(export:*)");
  expect(stderr).toContain("Bash(export:*)");
  expect(stderr).toContain("has no effect");
  const place = workplace();
  place.write("../home/.troupe/settings.json", { permissions: { allow: ["Bash(export:*)"] } });
  const { stdout } = await place.run(["doctor"]);
  expect(stdout.replace(/\s+/g, " ")).toContain("has no effect");
});
