import { execFileSync } from "node:child_process";
import { type Lead, type TeamWorkplace, teamWorkplace } from "../cli/team-workplace.ts";

const shared = ["SendMessage", "TaskList", "TaskGet", "TaskUpdate"];
/** The tools of each type decide which tasks it can do. */
const agentTypes = {
  researcher: { description: "Finds causes", prompt: "Find causes.", tools: ["Read", "Grep", ...shared] },
  implementer: { description: "Fixes code", prompt: "Fix code.", tools: ["Read", "Edit", "Bash", ...shared] },
  tester: { description: "Proves it", prompt: "Prove it.", tools: ["Read", "Write", "Bash", ...shared] },
};

const source = `export function parseDate(text) {
  const [day, month, year] = text.split("/");
  return new Date(year, month, day);
}
`;

const script = `
const call = (tool, input) => ({ tool, input });
const mail = (to, message, summary) => call("SendMessage", { to, message, summary });
const bash = (command, description) => call("Bash", { command, description });
const update = (taskId, status) => call("TaskUpdate", { taskId, status });
const agent = (name, type, description, more = {}) =>
  call("Agent", { name, subagent_type: type, description, prompt: "Your work comes with the task list.", ...more });
const tasks = [
  { subject: "Find out why dates are a month off", description: "Tell the writer which line it is.", owner: "scout", needs: ["Grep"] },
  { subject: "Fix the parser", description: "Fix src/parse-date.js and commit.", owner: "writer", needs: ["Edit"], blockedBy: [1], acceptance: [{ command: "git log -1 --format=%s | grep -q months" }] },
  { subject: "Try every month", description: "Add a test for all twelve months.", owner: "tester", needs: ["Write"], blockedBy: [2] },
  { subject: "Say it in the changelog", description: "One line, for users.", blockedBy: [2, 3] },
];
const lead = ({ turn }) => {
  if (turn === 1) return {
    thinking: "Dates are a month off. A researcher should look before any edit.",
    text: "Dates come out **a month off**. The plan:\\n\\n1. find the line\\n2. fix it, on a branch\\n3. prove it with a test for all twelve months",
    calls: [agent("scout", "researcher", "finds the cause"), agent("writer", "implementer", "fixes the parser", { isolation: "worktree" }), agent("tester", "tester", "proves it")],
  };
  if (turn === 2) return { calls: tasks.map((task) => call("TaskCreate", task)) };
  return { text: "The team is at work. I am woken when there is something for me to do." };
};
const scout = ({ said, result }) => {
  if (result?.tool === "Grep") return { calls: [mail("writer", "\`src/parse-date.js\`, line 3: \`Date\` counts months from **0**, the text from 1.", "months are counted from 0"), update(1, "completed")] };
  if (said.includes('<task id="1"') && !result) return { thinking: "The constructor is the usual suspect.", calls: [call("Read", { file_path: "src/parse-date.js" }), call("Grep", { pattern: "new Date", output_mode: "content" })] };
  return { text: "Line 3 it is: months are counted from 0." };
};
const writer = ({ said, result }) => {
  if (result?.tool === "TaskUpdate") return { text: "Fixed, committed and verified." };
  if (result?.tool === "Bash") return { calls: [mail("tester", "The fixed parser is on my branch.", "it is fixed, on my branch"), update(2, "completed")] };
  if (result?.tool === "Edit") return { calls: [bash("git commit -qam 'fix: count months from 0'", "Commit the fix")] };
  if (result?.tool === "Read") return { calls: [call("Edit", { file_path: "src/parse-date.js", old_string: "new Date(year, month, day)", new_string: "new Date(year, month - 1, day)" })] };
  if (said.includes('<task id="2"')) return { text: "I look at it first.", calls: [call("Read", { file_path: "src/parse-date.js" })] };
  return { text: "Ready." };
};
const tester = ({ said, result }) => {
  if (result?.tool === "TaskUpdate") return { text: "All twelve months pass." };
  if (result?.tool === "Bash") return { calls: [update(3, "completed")] };
  if (said.includes('<task id="3"')) return { text: "I run every month through it.", calls: [bash("node --test test/every-month.test.js", "Try every month")] };
  return { text: "Ready." };
};
const roles = { lead, "scout@alpha": scout, "writer@alpha": writer, "tester@alpha": tester };
export default (ask) => ({ usage: { inputTokens: 9_000 + ask.turn * 2_400, outputTokens: 420, cacheReadTokens: ask.turn * 6_000 }, ...roles[ask.agent](ask) });`;

/**
 * A lead and three members that fix a bug: mail, tasks, a branch with a commit. At the end the tester waits for an
 * answer.
 */
export async function parserTeam(more: readonly string[] = []): Promise<{ place: TeamWorkplace; lead: Lead }> {
  const place = teamWorkplace(script, {
    teams: { backend: "in-process", shutdownMs: 1_000 },
    permissions: { allow: ["Bash(git commit:*)"] },
    models: { "scripted/s.mjs": { price: { input: 3, output: 15, cacheRead: 0.3 } } },
  });
  place.write("src/parse-date.js", source);
  place.write(".gitignore", "s.mjs\nsettings.json\n");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: place.cwd });
  git("init", "-qb", "main");
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.com");
  git("add", ".");
  git("commit", "-qm", "A parser for dates");
  const lead = place.lead({
    mode: "acceptEdits",
    more: ["--agents", JSON.stringify(agentTypes), "--max-budget-usd", "10", ...more],
  });
  lead.send({ type: "prompt", content: "Dates come out a month off. Have a team find out why, fix it and prove it." });
  await lead.until((event) => event.type === "permission.asked");
  return { place, lead };
}
