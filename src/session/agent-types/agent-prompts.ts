import { isReadOnlyType } from "../../agent/definitions/index.ts";
import {
  composeAgentPrompt,
  composeCoordinatorPrompt,
  composeSystemPrompt,
  type PermissionFacts,
  permissionSummary,
  planModeForSubagent,
  scratchpadText,
  subagentConduct,
  type SystemPromptFacts,
  teammateConduct,
  type TeamFacts,
  type Workplace,
  type WorkerFacts,
  type WorktreePlace,
} from "../../agent/index.ts";
import type { AgentDefinition, PermissionMode } from "../../protocol/index.ts";
import type { LoadedExtras } from "./agent-extras.ts";

export interface PromptSources
  extends Pick<SystemPromptFacts, "addedDirectories" | "date" | "git" | "instructionFiles" | "append"> {
  /** The folder of the session. */
  readonly cwd: string;
  /** Returns the branch of the folder of an agent below the lead. */
  readonly branchOf: (cwd: string) => Promise<SystemPromptFacts["git"]>;
  /** Replaces the first block of the lead's prompt. */
  readonly base: string | undefined;
  readonly skills: NonNullable<SystemPromptFacts["skills"]>;
  /** The rules of the session. */
  readonly allow: PermissionFacts["allow"];
  /** The one that answers permission questions of this session's agents. */
  readonly asks: PermissionFacts["asks"];
  /** The folder of Troupe's documentation. */
  readonly docs: string | undefined;
  /** The folder that the workers of a coordinator share. */
  readonly scratchpad: string | undefined;
}

/** An agent below the lead, where it starts. */
export interface AgentPlace {
  readonly cwd: string;
  /** The worktree that was made for it. */
  readonly worktree?: WorktreePlace | undefined;
  /** The agent in whose folder it works. Undefined in its own worktree, and if it is not known. */
  readonly sharedWith?: string | undefined;
  readonly tools: readonly string[];
  readonly mode: PermissionMode;
  readonly sandbox: PermissionFacts["sandbox"];
  readonly extras: Pick<LoadedExtras, "blocks" | "skills" | "offersSkills">;
  /** Set for a teammate. */
  readonly team?: TeamFacts | undefined;
}

/** The lead, when its prompt is written. */
export interface LeadNow {
  readonly tools: readonly string[];
  readonly mode: PermissionMode;
  readonly sandbox: PermissionFacts["sandbox"];
  /** Set for a coordinator. */
  readonly workers?: WorkerFacts | undefined;
}

/** The system prompts of all agents of a session. */
export interface AgentPrompts {
  lead(now: LeadNow): string[];
  /** The prompt of a subagent or teammate of this type. */
  of(definition: AgentDefinition, place: AgentPlace): Promise<string[]>;
}

export function createAgentPrompts(sources: PromptSources): AgentPrompts {
  const shared = { ...sources, platform: `${process.platform} ${process.arch}` };
  return {
    lead({ tools, mode, sandbox, workers }) {
      const facts = {
        ...shared,
        permissions: permissionSummary({ ...sources, mode, sandbox, forWorkers: workers !== undefined }),
      };
      return workers
        ? composeCoordinatorPrompt(facts, workers)
        : composeSystemPrompt({ ...facts, tools: new Set(tools) });
    },
    async of(definition, place) {
      const { cwd, extras, team } = place;
      const onlyReads = isReadOnlyType(definition);
      const facts = {
        tools: new Set(place.tools),
        role: team && isForAnyWork(definition) ? "" : roleOf(definition, sources.docs),
        onlyReads,
        hasInstructions: sources.instructionFiles.length > 0,
      };
      return composeAgentPrompt(team ? teammateConduct({ ...facts, ...team }) : subagentConduct(facts), {
        ...shared,
        cwd,
        git: place.worktree ? undefined : await sources.branchOf(cwd),
        place: workplaceOf(place, !onlyReads),
        permissions: permissionSummary({
          ...sources,
          mode: place.mode,
          sandbox: place.sandbox,
          onlyReads,
          ownWorktree: place.worktree !== undefined,
        }),
        skills: extras.offersSkills ? sources.skills.filter(({ name }) => !extras.skills.includes(name)) : [],
        own: [
          ...extras.blocks,
          ...(sources.scratchpad === undefined ? [] : [scratchpadText(sources.scratchpad, { onlyReads })]),
          ...(!team && place.mode === "plan" && !onlyReads ? [planModeForSubagent] : []),
        ],
      });
    },
  };
}

function workplaceOf({ worktree, sharedWith }: AgentPlace, canChange: boolean): Workplace | undefined {
  if (worktree) return { kind: "worktree", worktree, canChange };
  return sharedWith === undefined ? undefined : { kind: "shared", owner: sharedWith, canChange };
}

/** The types for any work say nothing that a teammate's own prompt does not say. */
const isForAnyWork = ({ name, source }: AgentDefinition) =>
  source.level === "built-in" && (name === "general-purpose" || name === "worker");

/** Adds the location of the documentation for the agent that answers questions about Troupe. */
function roleOf({ name, prompt, source }: AgentDefinition, docs: string | undefined): string {
  if (name !== "guide" || source.level !== "built-in") return prompt;
  return `${prompt}\n\nThe documentation is in ${docs ?? "no folder of this installation. Tell the user that it is missing"}.`;
}
