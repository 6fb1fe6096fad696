import { type PermissionMode, TroupeError } from "../../protocol/index.ts";
import { nearestName } from "../../platform/index.ts";
import {
  type AgentDescription,
  agentProblemLine,
  checkAgents,
  describeAgent,
  loadAgentDefinitions,
  loadConfig,
  type LoadedAgent,
} from "../../session/index.ts";
import { visibleLine, visibleText } from "../../view/index.ts";
import { exitCodes } from "../exit-codes.ts";

export interface AgentsFlags {
  readonly json?: boolean;
  readonly agents?: string;
  /** The permission mode of the parent. */
  readonly mode?: PermissionMode;
  /** The session in which `show` searches for an agent that has run. */
  readonly session?: string;
}

const configOf = ({ agents }: AgentsFlags) => loadConfig({ cwd: process.cwd(), env: process.env, flags: { agents } });

/** `troupe agents list`: the effective definition of each agent type, and the definitions that it hides. */
export async function listAgents(flags: AgentsFlags): Promise<void> {
  const { agents, problems } = await loadAgentDefinitions(await configOf(flags));
  if (flags.json) {
    const list = agents.map(({ definition, hides, withheld }) => {
      const { name, description, model = "inherit", tools = ["*"], disallowedTools = [], source } = definition;
      const note = isCoordinatorType(definition) ? { note: coordinatorNote } : {};
      return { name, description, model, tools, disallowedTools, source, hides, withheld, ...note };
    });
    return write(JSON.stringify({ agents: list, problems }, null, 2));
  }
  for (const { definition, hides, withheld } of agents) {
    const { name, description, model = "inherit", source } = definition;
    printLine(`${name}  ${shortened(description)}`);
    printLine(`    model ${model}, tools ${toolsText(definition)}, ${sourceText(source)}`);
    for (const hidden of hides) printLine(`    hides ${sourceText(hidden)}`);
    if (withheld.length > 0) printLine(`    not used: ${withheld.join(", ")}`);
    if (isCoordinatorType(definition)) printLine(`    ${coordinatorNote}`);
  }
  for (const problem of problems) printError(agentProblemLine(problem));
}

const isCoordinatorType = ({ name, source }: LoadedAgent["definition"]) =>
  name === "worker" && source.level === "built-in";
const coordinatorNote = "only for coordinator mode: the Agent tool does not start it otherwise";

/** `troupe agents show`: the definition, and the permission mode it gets under each mode of its parent. */
export async function showAgent(name: string, flags: AgentsFlags): Promise<void> {
  const config = await configOf(flags);
  const { agents, problems } = await loadAgentDefinitions(config);
  const agent = agents.find(({ definition }) => definition.name === name);
  if (!agent) {
    const { showTranscript } = await import("./show-transcript.ts");
    if (await showTranscript(name, flags)) return;
    throw unknownAgent(name, agents);
  }
  const description = describeAgent(agent, { config, parentMode: flags.mode ?? config.permissionMode });
  if (flags.json) {
    const { definition, hides, withheld } = agent;
    const tools = description.tools.tools.map((tool) => tool.name);
    return write(
      JSON.stringify(
        { ...definition, hides, withheld, effective: { ...description, ...description.tools, tools } },
        null,
        2,
      ),
    );
  }
  for (const line of showLines(agent, description)) printLine(line);
  write(`\n${visibleText(agent.definition.prompt)}`);
  const own = problems.filter(({ from }) => from === agent.definition.source.from);
  for (const problem of own) printError(agentProblemLine(problem));
}

/** `troupe agents validate`: prints every problem with its file and field. */
export async function validateAgents(files: readonly string[], flags: AgentsFlags): Promise<number> {
  const problems = await checkAgents(await configOf(flags), files);
  const errors = problems.filter(({ severity }) => severity === "error").length;
  if (flags.json) write(JSON.stringify({ ok: errors === 0, problems }, null, 2));
  else {
    for (const problem of problems) printLine(`${problem.severity}  ${agentProblemLine(problem)}`);
    if (problems.length === 0) printLine("all definitions are valid");
  }
  return errors === 0 ? exitCodes.done : exitCodes.failed;
}

function showLines({ definition, hides, withheld }: LoadedAgent, shown: AgentDescription): string[] {
  const { model, modes, tools, servers, kind } = shown;
  const row = (label: string, text: string | undefined) => (text === undefined ? [] : [`${label.padEnd(12)}${text}`]);
  const list = (names: readonly string[] | undefined) => names && (names.join(", ") || "none");
  const limitOf = (name: string) => tools.limits.find(({ tool }) => tool === name);
  return [
    ...row("name", definition.name),
    ...row("description", definition.description),
    ...row("from", sourceText(definition.source)),
    ...row("note", isCoordinatorType(definition) ? coordinatorNote : undefined),
    ...hides.flatMap((hidden) => row("hides", sourceText(hidden))),
    ...row(
      "not used",
      withheld.length === 0 ? undefined : `${withheld.join(", ")} (${withheldReason(definition.source)})`,
    ),
    ...row(
      "runs",
      kind === "background" ? "in the background" : "in the foreground, unless it is moved to the background",
    ),
    ...row("model", modelText(definition.model, model)),
    ...row("max turns", definition.maxTurns?.toString()),
    ...row("isolation", definition.isolation),
    ...row("memory", shown.memory && `${shown.memory} (${definition.memory})`),
    ...row("skills", list(definition.skills)),
    ...row("needs", list(definition.requiredMcpServers)),
    ...row("color", definition.color),
    ...row("first", definition.initialPrompt),
    ...row("hooks", definition.hooks === undefined ? undefined : JSON.stringify(definition.hooks)),
    ...row("servers", definition.mcpServers === undefined ? undefined : JSON.stringify(definition.mcpServers)),
    ...row("tools", tools.tools.length === 0 ? "none" : undefined),
    ...tools.tools.flatMap(({ name }) => {
      const limit = limitOf(name);
      const only = limit && limit.only.length > 0 ? [`only ${limit.only.join(", ")}`] : [];
      const denied = limit && limit.never.length > 0 ? [`not ${limit.never.join(", ")}`] : [];
      return row("tool", [name, ...only, ...denied].join(": "));
    }),
    ...servers.flatMap((server) => row("tools from", `server ${server}`)),
    ...tools.reports.flatMap(({ field, entry, message }) =>
      row("ignored", `${field} ${JSON.stringify(entry)}: ${message}`),
    ),
    ...modes.flatMap(({ parent, mode, refused }) =>
      row(
        "mode",
        `${mode} if the parent is in ${parent}${refused === undefined ? "" : ` (${refused} would exceed the parent's mode)`}`,
      ),
    ),
  ];
}

function modelText(asked: string | undefined, model: AgentDescription["model"]): string {
  if (!model) return "the parent's";
  if (!model.ok) return `${asked ?? ""}: ${model.message}`;
  return `${model.ref} (${model.from === "parent" ? "the parent's" : model.from === "environment" ? "set in the environment" : asked})`;
}

const withheldReason = ({ level }: LoadedAgent["definition"]["source"]) =>
  level === "plugin"
    ? "agents of plugins cannot configure it"
    : "this folder is not trusted: run 'troupe trust' to see what it requests";

function toolsText({ tools, disallowedTools = [] }: LoadedAgent["definition"]): string {
  const given = tools === undefined || tools.includes("*") ? "all" : tools.join(", ") || "none";
  return disallowedTools.length === 0 ? given : `${given} without ${disallowedTools.join(", ")}`;
}

const sourceText = ({ level, from }: LoadedAgent["definition"]["source"]) =>
  level === "built-in" ? "built in" : `${from} (${level})`;

const shortened = (text: string) => (text.length > 120 ? `${text.slice(0, 120).trimEnd()}…` : text);

function unknownAgent(name: string, agents: readonly LoadedAgent[]): TroupeError {
  const names = agents.map(({ definition }) => definition.name);
  const near = nearestName(name, names);
  const hint =
    near === undefined
      ? `no agent of that name has run in this folder either. Agent types: ${names.join(", ")}`
      : `did you mean ${near}?`;
  return new TroupeError("usage", `there is no agent type ${JSON.stringify(name)}; ${hint}`);
}

const printLine = (line: string) => write(visibleLine(line));
const write = (text: string) => void process.stdout.write(`${text}\n`);
const printError = (line: string) => void process.stderr.write(`troupe: ${visibleLine(line)}\n`);
