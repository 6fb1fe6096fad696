import { execFileSync } from "node:child_process";
import { atMost, row } from "./measure.mjs";
import { limits, promptParts, totalTokens } from "./prompt-parts.mjs";
import { benchModel, openTeam, spawning, words } from "./team-model.mjs";

/** System prompt and tools of each kind of agent, in tokens of four characters. Prints the share of every part. */
export async function run(bench) {
  const agents = {
    lead: { parts: await firstRequest(bench, { team: "size" }, "lead"), goal: limits.lead },
    teammate: { parts: await firstRequest(bench, { team: "size" }, "teammate"), goal: limits.teammate },
    solo: { parts: await firstRequest(bench, {}, "lead") },
    subagent: { parts: await firstRequest(bench, {}, "subagent") },
  };
  return Object.entries(agents).flatMap(([name, { parts, goal }]) => [
    row({
      what: `${name}: system prompt and tools`,
      unit: "tokens",
      values: [totalTokens(parts)],
      ...(goal !== undefined && { goal: atMost(goal, "tokens") }),
    }),
    ...parts.map(({ part, tokens }) =>
      row({
        what: `  ${name}: ${part} (${Math.round((100 * tokens) / totalTokens(parts))} %)`,
        unit: "tokens",
        values: [tokens],
      }),
    ),
  ]);
}

/** The parts of the first request of one agent, in a new repository without instructions, skills and servers. */
async function firstRequest(bench, options, wanted) {
  const cwd = bench.emptyFolder();
  execFileSync("git", ["init", "-q"], { cwd });
  let found;
  const model = benchModel({
    answer(request) {
      const kind = kindOf(request);
      if (kind === wanted) found ??= request;
      if (kind !== "lead" || JSON.stringify(request.messages).includes("tool_result")) return words("done");
      return wanted === "lead" ? words("done") : spawning(1, () => (wanted === "teammate" ? { name: "mate" } : {}));
    },
  });
  const session = await openTeam(bench, { cwd, model, tools: [], permissionMode: "acceptEdits", ...options });
  try {
    await session.ask("go");
    for await (const _ of session.events({ replay: true })) if (found !== undefined) break;
    const request = found;
    const rules = wanted === "lead" && options.team !== undefined ? { "team rules": noticeOf(request) } : {};
    return promptParts(request, rules);
  } finally {
    await session.close();
  }
}

function kindOf({ system }) {
  const text = system.join("\n");
  if (/^You are a subagent/m.test(text)) return "subagent";
  return /a teammate in the team/.test(text) ? "teammate" : "lead";
}

/** The rules for the lead of a team come with its first prompt. */
const noticeOf = ({ messages }) =>
  messages
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])))
    .filter((text) => text.startsWith("<troupe-notice>"))
    .join("\n");
