import { agentProblemLine } from "../../agent/definitions/index.ts";
import type { Clock } from "../../platform/index.ts";
import { parseRules, type Tool } from "../../tool/index.ts";
import { createAgentKnowledge } from "../agent-runtime/agent-knowledge.ts";
import { type AgentPrompts, createAgentPrompts, type PromptSources } from "../agent-types/agent-prompts.ts";
import { loadAgentExtras } from "../agent-types/load-agent-extras.ts";
import type { Config } from "../config/load-config.ts";
import { definitionHooks } from "../hooks/definition-hooks.ts";
import { openHooks } from "../hooks/open-hooks.ts";
import { withNestedInstructions } from "../instructions/nested-instructions.ts";
import { startSessionMcp } from "../mcp/session-mcp.ts";
import { withRedactionMarkCheck } from "../permissions/refuse-redaction-marks.ts";
import { addedDirectories } from "../config/added-directories.ts";
import type { Extensions } from "../session-context.ts";
import type { StartFiles } from "../session-host.ts";
import type { StartContext } from "./start-context.ts";

/** The extensions without the prompts, which also depend on the role. */
export interface LoadedExtensions extends Omit<Extensions, "prompts"> {
  promptsFor(role: Pick<PromptSources, "asks" | "scratchpad">): AgentPrompts;
}

/** Loads everything that the user and the project add. Throws for what is wrong. */
export async function loadExtensions(from: StartContext): Promise<LoadedExtensions> {
  const { config, options, host } = from;
  const { clock } = host;
  const mcp = await startSessionMcp({
    config,
    env: options.env,
    clock,
    waitMs: mcpWaitMs,
  });
  const closeServers = from.cleanup.add(async () => mcp?.close());
  const inCode = options.hooks ?? options.shared?.hooks;
  const hooks = await openHooks(config.hooks, inCode);
  const files = await host.loadFiles(config);
  const { commands: slash } = files;
  const rules = parseRules(
    config.rules,
    options.tools?.map(({ name }) => name),
  );
  const initial = files.instructions.initial();
  const knowledge = createAgentKnowledge(files.instructions);
  const merged = mergeTools(usableTools(host.builtinTools(), slash), options.tools ?? []);
  const tools = withRedactionMarkCheck(withNestedInstructions(merged, (id) => knowledge.of(id).instructions));
  return {
    mcp,
    openHooks: hooks?.create,
    definitions: files.definitions.agents.map(({ definition }) => definition),
    slash,
    rules,
    knowledge,
    readable: files.docs === undefined ? [] : [files.docs],
    notices: [
      ...files.definitions.problems.map(agentProblemLine),
      ...(hooks?.notices ?? []),
      ...initial.notices,
      ...slash.notices,
    ],
    tools: () => (mcp ? [...tools, ...mcp.tools()] : tools),
    extrasOf: (definition, own) => loadAgentExtras(definition, { ...own, config, env: options.env, clock, mcp, slash }),
    async hooksOf(definition) {
      const own = definitionHooks(definition);
      return own && config.hooksAllowed ? openHooks([...config.hooks, own], inCode) : undefined;
    },
    closeServers,
    promptsFor: (role) =>
      createAgentPrompts({
        ...promptSources(files, config, clock),
        base: options.systemPrompt,
        instructionFiles: initial.files,
        allow: rules.allow,
        ...role,
      }),
  };
}

const mcpWaitMs = 10_000;

const promptSources = (
  { git, branchOf, commands, docs }: StartFiles,
  config: Config,
  clock: Clock,
): Omit<PromptSources, "instructionFiles" | "allow" | "asks" | "scratchpad" | "base"> => ({
  cwd: config.cwd,
  addedDirectories: addedDirectories(config),
  date: new Date(clock.now()).toISOString().slice(0, 10),
  git,
  branchOf,
  skills: commands.listed,
  append: config.appendSystemPrompt,
  docs,
});

/** Without skills there is nothing for Skill to load. */
const usableTools = (tools: readonly Tool[], { listed }: { readonly listed: readonly unknown[] }) =>
  tools.filter(({ name }) => name !== "Skill" || listed.length > 0);

function mergeTools(builtin: readonly Tool[], own: readonly Tool[]): Tool[] {
  const names = new Set(own.map((tool) => tool.name));
  return [...builtin.filter((tool) => !names.has(tool.name)), ...own];
}
