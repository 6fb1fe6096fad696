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

/** The part of the configuration that definitions depend on. */
export interface AgentConfig extends DefinitionFolders {
  readonly cwd: string;
  /** `--agents`: JSON, or a path. */
  readonly agentsFlag: string | undefined;
  readonly trust: FolderTrust;
  /** What the project's definitions asked for when it was decided whether the folder is trusted. */
  readonly definitionPrivileges: readonly WithheldSetting[];
}

export type LoadedAgent = RankedAgent<FoundDefinition>;

interface FoundDefinition {
  readonly definition: AgentDefinition;
  readonly foundAt: string;
  /** Where its fields stand. */
  readonly lines: ReadonlyMap<string, number>;
  /** Fields of the definition that are not in force. */
  readonly withheld: readonly PrivilegedField["key"][];
}

export interface LoadedAgents {
  /** One of each name, in the order of names. */
  readonly agents: readonly LoadedAgent[];
  /** What is right of those that cannot be used. */
  readonly broken: readonly Pick<LoadedAgent, "definition" | "lines">[];
  readonly problems: readonly AgentProblem[];
}

/**
 * Every type of agent there is, from all sources. What is wrong with one is reported and hides no other; only a wrong flag is an
 * error, since nobody would wait for the answer to a question that was mistyped.
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

/** Without the fields that may not act: of a plugin none, of a project those that were seen when it was trusted. */
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
        message: "is not used: a plugin's agents cannot bring it along; put the definition among your own",
      }));
