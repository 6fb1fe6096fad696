import {
  type PrivilegedField,
  privilegedFields,
  type AgentProblem,
  builtInAgents,
  parseAgent,
  rankAgents,
  type RankedAgent,
  withoutFields,
} from "../../agent/definitions/index.ts";
import type { AgentDefinition, AgentSource } from "../../protocol/index.ts";
import { type DefinitionFolders, agentFiles } from "./definition-files.ts";
import { readAgentsFlag } from "./agents-flag.ts";
import { createHookCheck } from "./definition-hook-check.ts";
import { digestOf } from "../trust/trust-record.ts";
import type { FolderTrust, WithheldSetting } from "../trust/withheld-settings.ts";

export interface AgentConfig extends DefinitionFolders {
  readonly cwd: string;
  /** The value of `--agents`: JSON or a path. */
  readonly agentsFlag: string | undefined;
  readonly trust: FolderTrust;
  /** The fields that needed trust when the folder's trust was decided. */
  readonly definitionPrivileges: readonly WithheldSetting[];
}

export type LoadedAgent = RankedAgent<FoundDefinition>;

interface FoundDefinition {
  readonly definition: AgentDefinition;
  readonly foundAt: string;
  /** The line of each field. */
  readonly lines: ReadonlyMap<string, number>;
  /** Fields of the definition that are ignored for lack of trust. */
  readonly withheld: readonly PrivilegedField["key"][];
}

export interface LoadedAgents {
  /** One definition of each name, sorted by name. */
  readonly agents: readonly LoadedAgent[];
  /** The valid fields of definitions that cannot be used. */
  readonly broken: readonly Pick<LoadedAgent, "definition" | "lines">[];
  readonly problems: readonly AgentProblem[];
}

/**
 * Loads the agent types from all sources. A problem in one definition is reported and does not hide the others. Only a
 * wrong `--agents` flag throws: the user can correct it at once.
 */
export async function loadAgentDefinitions(config: AgentConfig): Promise<LoadedAgents> {
  const { files, problems } = agentFiles(config);
  const parsed = await Promise.all(
    files.map(async ({ path, text, level, place: foundAt }) => {
      const source: AgentSource = { level, from: path };
      return { foundAt, ...(await parseAgent(text, { source, checkHooks: await createHookCheck(text) })) };
    }),
  );
  const flag = config.agentsFlag === undefined ? undefined : await readAgentsFlag(config.agentsFlag, config.cwd);
  const found = [
    ...(flag?.definitions ?? []).map((definition) => ({ ...noLines, definition, foundAt: "--agents" })),
    ...parsed.flatMap(({ definition, foundAt, lines }) =>
      definition ? [{ foundAt, lines, ...trustedPart(definition, config) }] : [],
    ),
    ...builtInAgents.map((definition) => ({ ...noLines, definition, foundAt: "" })),
  ];
  const ranked = rankAgents<FoundDefinition>(found);
  return {
    agents: ranked.agents,
    broken: parsed.flatMap(({ rest, lines }) => (rest ? [{ definition: rest, lines }] : [])),
    problems: [
      ...problems,
      ...(flag?.warnings ?? []),
      ...parsed.flatMap((each) => each.problems),
      ...ranked.problems,
      ...found.flatMap(pluginWarning),
    ],
  };
}

const noLines = { lines: new Map<string, number>(), withheld: [] };

/**
 * Removes the fields that lack trust: all acting fields of a plugin, and those of a project that were not seen when it
 * was trusted.
 */
function trustedPart(
  definition: AgentDefinition,
  config: AgentConfig,
): Pick<FoundDefinition, "definition" | "withheld"> {
  const { level, from } = definition.source;
  if (level !== "project" && level !== "plugin") return { definition, withheld: [] };
  const seen = level === "project" && config.trust === "all" ? config.definitionPrivileges : [];
  const withheld = privilegedFields(definition)
    .filter(({ key, value }) => {
      const digest = digestOf({ key, value, source: from });
      return !seen.some((ask) => ask.source === from && ask.key === key && digestOf(ask) === digest);
    })
    .map(({ key }) => key);
  return { definition: withheld.length === 0 ? definition : withoutFields(definition, withheld), withheld };
}

const pluginWarning = ({ definition: { source }, withheld }: FoundDefinition): AgentProblem[] =>
  source.level !== "plugin"
    ? []
    : withheld.map((field) => ({
        severity: "warning",
        from: source.from,
        field,
        message: "is ignored: agents of a plugin cannot set it. Move the definition to your own agents folder.",
      }));
