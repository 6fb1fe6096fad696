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

/** What an agent has by its definition besides the session's tools: servers of its own, notes, skills it begins with. */
export interface AgentExtras {
  /** With entries for the tools that come with its servers and its notes. */
  readonly definition: AgentDefinition;
  /** The folder of its notes. */
  readonly memory: string | undefined;
  pool(tools: readonly Tool[]): readonly Tool[];
  ready(signal: AbortSignal): Promise<void>;
  /** Once it has a seat: loads its skills, and lets them allow what they may. */
  load(policy: Policy, tools: () => readonly Tool[]): Promise<LoadedExtras>;
  attach(ports: ElicitPorts): void;
  /** Ends its servers, until it goes on. */
  stop(): Promise<void>;
}

export interface LoadedExtras {
  /** For its system prompt. */
  readonly blocks: readonly string[];
  /** Skills that need not be offered to it. */
  readonly skills: readonly string[];
  /** Whether it can load others. */
  readonly offersSkills: boolean;
  /** What it was to have and has not. */
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
            .map((each) => `You were to have more tools, but ${each}. Do without, and say so where it matters.`)
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

/** Whether it has a tool for it, and neither its mode nor a rule is against it. */
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
      ...policy.grant(rules).map((problem) => `skills: ${file}: one of its allowed-tools is not used: ${problem}`),
    );
  });
  if (!slash || !source)
    return { ...noSkills, problems: skills.map((name) => `skills: ${name}: there are no skills here`) };
  const loader = tools().find(({ name }) => name === "Skill");
  const isDenied = async (skill: string) =>
    loader !== undefined && (await policy.decide(loader, { skill })).behavior === "deny";
  const preloaded = await preloadSkills(skills, { all: slash.all, source, isDenied });
  return { ...preloaded, problems: [...preloaded.problems, ...grantProblems] };
}
