import { resolve } from "node:path";
import { type AgentProblem, parseAgent } from "../agent/definitions/index.ts";
import { hookCheck } from "./agent-definitions-hooks.ts";
import { describeAgent } from "./agent-definitions-describe.ts";
import { type LoadedAgent, loadAgentDefinitions } from "./agent-definitions.ts";
import type { Config } from "./load-config.ts";
import { readContextText } from "./read-context-text.ts";

/** All that is wrong with the definitions that are in force, or with the files that are named. */
export async function checkAgents(config: Config, files: readonly string[]): Promise<readonly AgentProblem[]> {
  const { agents, problems } =
    files.length === 0 ? await loadAgentDefinitions(config) : await readFiles(files, config.cwd);
  return [...problems, ...agents.flatMap((agent) => meaningProblems(agent, config))];
}

/** What the file's form does not show: names of things that are not there. */
function meaningProblems(agent: LoadedAgent, config: Config): AgentProblem[] {
  const { definition, lines } = agent;
  const { model, tools, missingServers } = describeAgent(agent, { config, parentMode: config.permissionMode });
  const at = (field: string) => ({ from: definition.source.from, line: lines.get(field), field });
  return [
    ...tools.reports.map(({ field, entry, severity, message }) => ({
      ...at(field),
      severity,
      message: `${JSON.stringify(entry)}: ${message}`,
    })),
    ...(model?.ok === false && model.from === "definition"
      ? [{ ...at("model"), severity: "error" as const, message: model.message }]
      : []),
    ...missingServers.map((server) => ({
      ...at("requiredMcpServers"),
      severity: "warning" as const,
      message: `the server ${server} is not configured here`,
    })),
  ];
}

async function readFiles(files: readonly string[], cwd: string) {
  const read = await Promise.all(files.map((file) => readOne(resolve(cwd, file))));
  return { agents: read.flatMap(({ agents }) => agents), problems: read.flatMap(({ problems }) => problems) };
}

async function readOne(path: string): Promise<{ agents: LoadedAgent[]; problems: readonly AgentProblem[] }> {
  const { text, notice } = readContextText(path);
  if (text === undefined) {
    const message = notice === undefined ? "there is no such file" : notice.slice(path.length).trim();
    return { agents: [], problems: [{ severity: "error", from: path, message }] };
  }
  const source = { level: "user", from: path } as const;
  const { definition, problems, lines } = await parseAgent(text, { source, checkHooks: await hookCheck(text) });
  const agents = definition ? [{ definition, place: "", lines, withheld: [], hides: [] }] : [];
  return { agents, problems };
}
