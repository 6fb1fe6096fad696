import { resolve } from "node:path";
import { type AgentProblem, parseAgent, agentServers } from "../../agent/definitions/index.ts";
import type { McpServerConfig } from "../../tool/mcp/index.ts";
import { createHookCheck } from "./definition-hook-check.ts";
import { skillProblem } from "./preload-skills.ts";
import { describeAgent } from "./describe-definition.ts";
import { type LoadedAgent, loadAgentDefinitions } from "./load-definitions.ts";
import type { Config } from "../config/load-config.ts";
import { readInstructionText } from "../instructions/read-instruction-text.ts";

/** Returns all problems of the loaded definitions, or of `files` when it is not empty. */
export async function checkAgents(config: Config, files: readonly string[]): Promise<readonly AgentProblem[]> {
  const { agents, broken, problems } =
    files.length === 0 ? await loadAgentDefinitions(config) : await readFiles(files, config.cwd);
  const { McpServerConfig: server } = await import("../../tool/mcp/index.ts");
  return [...problems, ...[...agents, ...broken].flatMap((agent) => meaningProblems(agent, { config, server }))];
}

type Readable = Pick<LoadedAgent, "definition" | "lines">;

/** Checks references that the schema cannot: tools, models, servers and skills that do not exist. */
function meaningProblems(
  agent: Readable,
  { config, server: schema }: { config: Config; server: typeof McpServerConfig },
): AgentProblem[] {
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
    ...missingServers.map(({ server, field }) => ({
      ...at(field),
      severity: "warning" as const,
      message: `the server ${server} is not configured here`,
    })),
    ...Object.entries(agentServers(definition).inline).flatMap(([name, written]) => {
      const [issue] = schema.safeParse(written).error?.issues ?? [];
      const message =
        issue && `the server ${name}: ${[...issue.path, issue.message.replace(/^Invalid input: /, "")].join(": ")}`;
      return message === undefined ? [] : [{ ...at("mcpServers"), severity: "error" as const, message }];
    }),
    ...(definition.skills ?? []).flatMap((name) => {
      const problem = skillProblem(name, config.slash.skills);
      const message = `${JSON.stringify(name)}: ${problem}`;
      return problem === undefined ? [] : [{ ...at("skills"), severity: "warning" as const, message }];
    }),
  ];
}

async function readFiles(files: readonly string[], cwd: string) {
  const read = await Promise.all(files.map((file) => readOne(resolve(cwd, file))));
  return {
    agents: read.flatMap(({ agents }) => agents),
    broken: [],
    problems: read.flatMap(({ problems }) => problems),
  };
}

async function readOne(path: string): Promise<{ agents: Readable[]; problems: readonly AgentProblem[] }> {
  const { text, notice } = readInstructionText(path);
  if (text === undefined) {
    const message = notice === undefined ? "there is no such file" : notice.slice(path.length).trim();
    return { agents: [], problems: [{ severity: "error", from: path, message }] };
  }
  const source = { level: "user", from: path } as const;
  const parsed = await parseAgent(text, { source, checkHooks: await createHookCheck(text) });
  const { problems, lines } = parsed;
  const definition = parsed.definition ?? parsed.rest;
  return { agents: definition ? [{ definition, lines }] : [], problems };
}
