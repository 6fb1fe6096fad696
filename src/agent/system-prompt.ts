import { environment, type EnvironmentFacts, startingState } from "./fragments/system/environment.ts";
import { leadIdentity } from "./fragments/system/conduct.ts";
import { instructions, type InstructionFile } from "./fragments/system/instructions.ts";
import { type ListedSkill, skillList } from "./fragments/system/skill-list.ts";
import type { ToolNames } from "../tool/index.ts";

export interface SystemPromptFacts extends EnvironmentFacts {
  readonly instructionFiles: readonly InstructionFile[];
  readonly skills?: readonly ListedSkill[] | undefined;
  /** The user's own text, added at the end. */
  readonly append?: string | undefined;
  /** More blocks of this agent: its skills, notes, team and mode. */
  readonly own?: readonly string[] | undefined;
}

/** The system prompt of a lead. */
export const composeSystemPrompt = (
  facts: SystemPromptFacts & { readonly tools: ToolNames; readonly base?: string | undefined },
): string[] =>
  composeAgentPrompt(
    facts.base ?? leadIdentity({ ...facts, hasInstructions: facts.instructionFiles.length > 0 }),
    facts,
  );

/**
 * The system prompt of any agent as blocks, from fixed to specific to this session. Blocks that many sessions share
 * come first, so that a provider's cache can serve them all.
 */
export function composeAgentPrompt(base: string, facts: SystemPromptFacts): string[] {
  const skills = skillList(facts.skills ?? []);
  const particular = [instructions(facts.instructionFiles), skills, facts.append ?? ""].filter((text) => text !== "");
  const blocks = [base, particular.join("\n\n"), ...(facts.own ?? []), environment(facts), startingState(facts)];
  return blocks.filter((text) => text !== "");
}

/**
 * The prompt of a resumed session: the stored one, unless more than its last block has changed. A new date or git
 * state does not justify losing a cached prefix.
 */
export function refreshSystemPrompt(stored: readonly string[], fresh: readonly string[]): readonly string[] {
  const same = stored.length === fresh.length && stored.slice(0, -1).every((block, index) => block === fresh[index]);
  return same ? stored : fresh;
}
