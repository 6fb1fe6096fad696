import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { agentProblemLine, parseAgent } from "../../src/agent/definitions/index.ts";
import { readAgentsFlag } from "../../src/session/agent-types/agents-flag.ts";
import type { LoadedAgents } from "../../src/session/agent-types/load-definitions.ts";
import { type AgentDefinition, TroupeError } from "../../src/protocol/index.ts";

/** The agent types of a user, in front of the built-in ones. Throws if a definition has an error. */
export async function withOwnAgents(known: LoadedAgents, path: string): Promise<LoadedAgents> {
  const own = (await definitionsAt(resolve(path))).map(inMemory);
  if (own.length === 0)
    throw new TroupeError("usage", `${path} has no agent definitions: it needs files that end with .md.`);
  const names = new Set(own.map(({ name }) => name));
  const found = own.map((definition) => ({ definition, foundAt: path, lines: new Map(), withheld: [], hides: [] }));
  return { ...known, agents: [...found, ...known.agents.filter(({ definition }) => !names.has(definition.name))] };
}

async function definitionsAt(path: string): Promise<readonly AgentDefinition[]> {
  if (!existsSync(path)) throw new TroupeError("usage", `${path} does not exist.`);
  if (path.endsWith(".json")) return (await readAgentsFlag(path, "/")).definitions;
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".md"))
        .sort()
        .map((name) => join(path, name))
    : [path];
  return Promise.all(
    files.map(async (from) => {
      const source = { level: "flag", from } as const;
      const { definition, problems } = await parseAgent(readFileSync(from, "utf8"), { source });
      const [error] = problems.filter(({ severity }) => severity === "error");
      if (!definition)
        throw new TroupeError("usage", error ? agentProblemLine(error) : `${from} is no agent definition.`);
      return definition;
    }),
  );
}

/** Without the fields that need a real machine: another model, servers, hooks, notes, worktrees and programs. */
const inMemory = ({ name, description, prompt, source, ...fields }: AgentDefinition): AgentDefinition => ({
  name,
  description,
  prompt,
  source,
  tools: fields.tools,
  disallowedTools: fields.disallowedTools,
  permissionMode: fields.permissionMode,
  maxTurns: fields.maxTurns,
  color: fields.color,
});
