// A coordinator delegates the work and does none itself. Two workers investigate in parallel in the background. The
// coordinator combines their findings, resumes the worker that knows the file to fix it, and lets another one check.
// They share a folder, the scratchpad.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession } from "troupe";
import { createScriptedModel, systemClock } from "troupe/testing";

const root = await mkdtemp(join(tmpdir(), "troupe-coordinator-"));
const cwd = join(root, "project");
const env = { PATH: process.env.PATH, HOME: root, TROUPE_HOME: join(root, ".troupe") };
const total = join(cwd, "total.mjs");
const wrong = "export const total = (price, discount) => price + discount;\n";
const right = "export const total = (price, discount) => price - discount;\n";

// The models' answers. Omit `model` below, or set "anthropic/…" or "openai/…", to use real models.
const call = (tool, input) => ({ tool, input });
const worker = (name, prompt) => call("Agent", { name, description: name, prompt });
const scratchpadIn = (system) => /Scratchpad: (\S+) is a folder/.exec(system)?.[1];
const heard = new Set();
let offered = [];

/** Each turn begins with the new notifications: results never interrupt a turn. */
function coordinator({ said, result, request }) {
  offered = request.tools.map(({ name }) => name);
  for (const [, words] of said.matchAll(/(ADDS THE DISCOUNT|NO TEST|FIXED|TOTALS ARE RIGHT)/g)) heard.add(words);
  const has = (words) => heard.has(words);
  if (result?.tool === "Agent" || result?.tool === "SendMessage")
    return { text: "Work has started; I will report when there is more." };
  if (has("TOTALS ARE RIGHT")) return { text: "Totals are right again: a discount was added instead of subtracted." };
  if (has("FIXED"))
    return { calls: [worker("checker", `Run total.mjs with 10 and 3 and say whether it is 7. ${total}`)] };
  if (has("ADDS THE DISCOUNT") && has("NO TEST"))
    return {
      calls: [call("SendMessage", { to: "reader", message: "Fix it: take the discount off.", summary: "fix it" })],
    };
  if (has("ADDS THE DISCOUNT") || has("NO TEST")) return { text: "One of two has reported." };
  return {
    text: "Two workers investigate first, in parallel.",
    calls: [
      worker("reader", `Read ${total} and say what it does with the discount. Change nothing.`),
      worker("tester", `Say whether there is a test for ${total}. Change nothing.`),
    ],
  };
}

function working({ agent, said, result, system }) {
  const note = (name, content) => call("Write", { file_path: join(scratchpadIn(system), name), content });
  if (agent === "lead/reader" && said.includes("Fix it")) {
    if (result?.tool === "Edit") return { text: "FIXED total.mjs." };
    return {
      calls: [call("Edit", { file_path: total, old_string: "price + discount", new_string: "price - discount" })],
    };
  }
  if (agent === "lead/reader") {
    if (result === undefined) return { calls: [call("Read", { file_path: total })] };
    if (result.tool === "Read") return { calls: [note("finding.md", "It adds the discount.\n")] };
    return { text: "It ADDS THE DISCOUNT; the finding is in the scratchpad." };
  }
  if (agent === "lead/tester") {
    return result ? { text: "There is NO TEST." } : { calls: [call("Glob", { pattern: "**/*.test.mjs" })] };
  }
  const check = `node -e "import('${total}').then(({ total }) => console.log(total(10, 3) === 7))"`;
  if (result?.tool === "Bash") return { text: result.text.includes("true") ? "TOTALS ARE RIGHT." : "Still wrong." };
  return { calls: [call("Bash", { command: check })] };
}

const model = createScriptedModel((ask) => (ask.agent === "lead" ? coordinator(ask) : working(ask)), {
  clock: systemClock,
  cwd,
});

try {
  await mkdir(cwd);
  await writeFile(total, wrong);
  const asked = [];
  const session = await createSession({
    cwd,
    env,
    model,
    coordinator: true,
    onPermission: async ({ tool, input }) => {
      asked.push(tool);
      return { behavior: tool === "Bash" && !input.command.startsWith("node -e") ? "deny" : "allow", scope: "once" };
    },
  });

  const [begun, ended, words] = [[], [], []];
  const watching = (async () => {
    for await (const { event } of session.events()) {
      if (event.type === "background.started") begun.push(event.description);
      if (event.type === "background.ended") ended.push(event.status);
      const said = event.type === "turn.ended" ? event.parts.find(({ type }) => type === "text")?.text : undefined;
      if (said !== undefined && !/[A-Z]{3}/.test(said)) words.push(said);
      if (said?.startsWith("Totals are right again")) return;
    }
  })();
  await session.ask("Totals are wrong when there is a discount: find out why, fix it, show that it works.");
  await watching;
  await session.close();

  // It has no tools to do the work itself.
  assert.deepEqual(new Set(offered), new Set(["Agent", "Land", "SendMessage", "TaskOutput", "TaskStop"]));
  // Two were started in one turn, the one that had read the file was resumed, and a third one checked.
  assert.deepEqual(new Set(begun.slice(0, 2)), new Set(["reader", "tester"]));
  assert.equal(begun.length, 4);
  assert.ok(ended.length >= 3 && ended.every((status) => status === "completed"));
  // The edit needed approval, the scratchpad did not.
  assert.deepEqual(asked, ["Edit", "Bash"]);
  assert.equal(await readFile(total, "utf8"), right);
  for (const text of words) console.log(text);
} finally {
  await rm(root, { recursive: true, force: true });
}
