import { join } from "node:path";
import { agentMemory } from "../../agent/index.ts";
import type { AgentDefinition } from "../../protocol/index.ts";
import type { Tool } from "../../tool/index.ts";
import { type AgentMemory, memoryEntries } from "./agent-memory.ts";
import type { AgentServers } from "../mcp/agent-servers.ts";
import { type AgentSkills, preloadSkills } from "./preload-skills.ts";
import type { ElicitPorts } from "../mcp/elicitation.ts";
import type { CommandCatalog } from "../slash-commands/command-catalog.ts";
import type { Policy } from "../permissions/permission-policy.ts";

/** The additions of an agent's definition to the session's tools: its own MCP servers, notes and preloaded skills. */
export interface AgentExtras {
  /** The definition with added entries for the tools of its servers and notes. */
  readonly definition: AgentDefinition;
  /** The folder of the agent's notes. */
  readonly memory: string | undefined;
  pool(tools: readonly Tool[]): readonly Tool[];
  ready(signal: AbortSignal): Promise<void>;
  /** Loads the skills and grants their allowed tools. Call it when the agent runtime exists. */
  load(policy: Policy, tools: () => readonly Tool[]): Promise<LoadedExtras>;
  attach(ports: ElicitPorts): void;
  /** Stops the agent's servers until it resumes. */
  stop(): Promise<void>;
}

export interface LoadedExtras {
  /** Blocks for the system prompt. */
  readonly blocks: readonly string[];
  /** Preloaded skills, which are not offered again. */
  readonly skills: readonly string[];
  /** True if the agent can load more skills. */
  readonly offersSkills: boolean;
  /** Configured items that could not be loaded. */
  readonly notices: readonly string[];
}

export interface AgentExtrasParts {
  readonly servers: AgentServers | undefined;
  readonly memory: AgentMemory | { readonly problem: string } | undefined;
  readonly slash: CommandCatalog | undefined;
}

export function createAgentExtras(
  definition: AgentDefinition,
  { servers, memory, slash }: AgentExtrasParts,
): AgentExtras {
  const notes = memory && "folder" in memory ? memory : undefined;
  const { tools: named } = definition;
  const added = [...(servers?.entries ?? []), ...(notes ? memoryEntries(definition, notes.folder) : [])];
  return {
    definition: named === undefined ? definition : { ...definition, tools: [...named, ...added] },
    memory: notes?.folder,
    pool: (tools) => servers?.poolWith(tools) ?? tools,
    async ready(signal) {
      await servers?.ready(signal);
    },
    async load(policy, tools) {
      const has = (name: string) => tools().some((tool) => tool.name === name);
      const skills = await loadSkills(definition, { slash, policy, tools });
      const missing = servers?.missing ?? [];
      const canWrite = notes !== undefined && (await canWriteFile(join(notes.folder, "MEMORY.md"), { policy, tools }));
      return {
        blocks: [
          skills.text,
          notes ? agentMemory({ ...notes, canWrite }) : "",
          servers?.instructions() ?? "",
          missing
            .map(
              (each) =>
                `Some tools are unavailable: ${each}. Work without them and mention it if it affects the result.`,
            )
            .join("\n"),
        ].filter((text) => text !== ""),
        skills: skills.names,
        offersSkills: has("Skill"),
        notices: [
          ...skills.problems,
          ...missing,
          ...(memory && "problem" in memory ? [memory.problem] : []),
          ...(notes?.notices ?? []),
        ].map((message) => `${definition.name}: ${message}`),
      };
    },
    attach: (ports) => servers?.attach(ports),
    async stop() {
      await servers?.stop();
    },
  };
}

/** Returns true if the agent has a tool that can write the file, and neither its mode nor a rule denies it. */
async function canWriteFile(
  path: string,
  { policy, tools }: { policy: Policy; tools: () => readonly Tool[] },
): Promise<boolean> {
  for (const tool of tools().filter(({ name }) => name === "Write" || name === "Edit")) {
    const decision = await policy.decide(tool, { file_path: path, content: "", old_string: "a", new_string: "b" });
    if (decision.behavior !== "deny") return true;
  }
  return false;
}

const noSkills: AgentSkills = { text: "", names: [], problems: [] };

async function loadSkills(
  { skills }: AgentDefinition,
  { slash, policy, tools }: { slash: CommandCatalog | undefined; policy: Policy; tools: () => readonly Tool[] },
): Promise<AgentSkills> {
  if (skills === undefined || skills.length === 0) return noSkills;
  const grantProblems: string[] = [];
  const source = slash?.source(async (rules, file) => {
    grantProblems.push(
      ...policy.grant(rules).map((problem) => `skills: ${file}: an entry of allowed-tools is ignored: ${problem}`),
    );
  });
  if (!slash || !source)
    return { ...noSkills, problems: skills.map((name) => `skills: ${name}: skills are not available here`) };
  const loader = tools().find(({ name }) => name === "Skill");
  const isDenied = async (skill: string) =>
    loader !== undefined && (await policy.decide(loader, { skill })).behavior === "deny";
  const preloaded = await preloadSkills(skills, { all: slash.all, source, isDenied });
  return { ...preloaded, problems: [...preloaded.problems, ...grantProblems] };
}
