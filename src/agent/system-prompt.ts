import { environment, type EnvironmentFacts } from "./fragments/system/environment.ts";
import { conduct } from "./fragments/system/conduct.ts";
import { instructions, type InstructionFile } from "./fragments/system/instructions.ts";
import { type ListedSkill, skillList } from "./fragments/system/skill-list.ts";

export interface SystemPromptFacts extends EnvironmentFacts {
  readonly instructionFiles: readonly InstructionFile[];
  readonly skills?: readonly ListedSkill[] | undefined;
  /** The user's own words, added at the end. */
  readonly append?: string | undefined;
  /** Of a sub-agent: what it has by its definition. */
  readonly own?: readonly string[] | undefined;
}

/**
 * The system prompt as blocks, from what never changes to what is particular to this session: blocks that many sessions
 * share come first, so that a provider's cache can serve them all.
 */
export function composeSystemPrompt(facts: SystemPromptFacts): string[] {
  const skills = skillList(facts.skills ?? []);
  const particular = [instructions(facts.instructionFiles), skills, facts.append ?? ""].filter((text) => text !== "");
  return [conduct, particular.join("\n\n"), environment(facts)].filter((text) => text !== "");
}

/** The system prompt of a sub-agent: what its type is told, then what holds for everybody here, then what it alone has. */
export function composeAgentPrompt(prompt: string, facts: SystemPromptFacts): string[] {
  const [, ...shared] = composeSystemPrompt(facts);
  return [prompt, ...shared, ...(facts.own ?? [])];
}

/**
 * The prompt a resumed session goes on with: the one it had, unless what it was told to follow has changed. A new date or
 * git state is no reason to throw a cached prefix away.
 */
export function refreshSystemPrompt(stored: readonly string[], fresh: readonly string[]): readonly string[] {
  const same = stored.length === fresh.length && stored.slice(0, -1).every((block, index) => block === fresh[index]);
  return same ? stored : fresh;
}
