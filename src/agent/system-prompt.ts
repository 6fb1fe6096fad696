import { environment, type EnvironmentFacts } from "./fragments/system/environment.ts";
import { conduct } from "./fragments/system/conduct.ts";
import { instructions, type InstructionFile } from "./fragments/system/instructions.ts";
import { type ListedSkill, skillList } from "./fragments/system/skill-list.ts";

export interface SystemPromptFacts extends EnvironmentFacts {
  readonly instructionFiles: readonly InstructionFile[];
  readonly skills?: readonly ListedSkill[] | undefined;
  /** The user's own text, added at the end. */
  readonly append?: string | undefined;
  /** Only for a subagent: the parts that its definition adds. */
  readonly own?: readonly string[] | undefined;
}

/**
 * The system prompt as blocks, from fixed to specific to this session. Blocks that many sessions share come first, so
 * that a provider's cache can serve them all.
 */
export function composeSystemPrompt(facts: SystemPromptFacts): string[] {
  const skills = skillList(facts.skills ?? []);
  const particular = [instructions(facts.instructionFiles), skills, facts.append ?? ""].filter((text) => text !== "");
  return [conduct, particular.join("\n\n"), environment(facts)].filter((text) => text !== "");
}

/** The system prompt of a subagent: the prompt of its type, the shared blocks, then its own parts. */
export function composeAgentPrompt(prompt: string, facts: SystemPromptFacts): string[] {
  const [, ...shared] = composeSystemPrompt(facts);
  return [prompt, ...shared, ...(facts.own ?? [])];
}

/**
 * The prompt of a resumed session: the stored one, unless its instructions have changed. A new date or git state does
 * not justify losing a cached prefix.
 */
export function refreshSystemPrompt(stored: readonly string[], fresh: readonly string[]): readonly string[] {
  const same = stored.length === fresh.length && stored.slice(0, -1).every((block, index) => block === fresh[index]);
  return same ? stored : fresh;
}
