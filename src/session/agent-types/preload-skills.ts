import { type PreloadedSkill, preloadedSkills } from "../../agent/index.ts";
import { nearestName } from "../../platform/index.ts";
import type { SkillSource } from "../../tool/index.ts";
import type { Skill } from "../slash-commands/skills.ts";

export interface AgentSkills {
  /** Text for the system prompt; empty without preloaded skills. */
  readonly text: string;
  readonly names: readonly string[];
  /** The skills that are not preloaded, each with the reason. */
  readonly problems: readonly string[];
}

const textLimit = 100_000;

/** Loads the skills that a definition names, as if the agent had loaded each of them. */
export async function preloadSkills(
  wanted: readonly string[],
  {
    all,
    source,
    isDenied,
  }: { all: readonly Skill[]; source: SkillSource; isDenied: (name: string) => Promise<boolean> },
): Promise<AgentSkills> {
  const loaded: PreloadedSkill[] = [];
  const problems: string[] = [];
  let size = 0;
  for (const name of new Set(wanted)) {
    const fault = skillProblem(name, all) ?? ((await isDenied(name)) ? "a rule denies it" : undefined);
    const skill = fault === undefined ? await source.load(name, "") : { problem: fault };
    if ("problem" in skill) problems.push(`skills: ${name}: ${skill.problem}`);
    else if (size + skill.body.length > textLimit)
      problems.push(`skills: ${name}: it is too long to preload with the others. The agent can load it with Skill.`);
    else {
      size += skill.body.length;
      loaded.push(skill);
    }
  }
  return { text: preloadedSkills(loaded), names: loaded.map(({ name }) => name), problems };
}

/** Returns why an agent cannot preload a skill, as far as that is known without loading it. */
export function skillProblem(name: string, all: readonly Pick<Skill, "name" | "forModels">[]): string | undefined {
  const found = all.find((skill) => skill.name === name);
  if (found) return found.forModels ? undefined : "only the user can run it (disable-model-invocation)";
  const near = nearestName(
    name,
    all.map((skill) => skill.name),
  );
  return `there is no such skill${near === undefined ? "" : `; did you mean ${near}?`}`;
}
