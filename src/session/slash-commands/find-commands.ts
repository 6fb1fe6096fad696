import type { DiscoveryFolders } from "../instructions/instruction-files.ts";
import { findSkills, type Skill } from "./skills.ts";
import { findSlashCommands, type SlashCommand } from "./slash-commands.ts";
import type { WithheldSetting } from "../trust/withheld-settings.ts";

/** The skills and slash commands of a folder and its user, regardless of trust. */
export interface FoundCommands {
  readonly skills: readonly Skill[];
  readonly commands: readonly SlashCommand[];
  readonly notices: readonly string[];
}

export async function findCommands(places: DiscoveryFolders): Promise<FoundCommands> {
  const { skills, notices } = await findSkills(places);
  const found = await findSlashCommands(places, skills);
  return { skills, commands: found.commands, notices: [...notices, ...found.notices] };
}

/**
 * Returns the allowed tools and models that the project's skills and commands request. The user sees them before
 * trusting the folder.
 */
export function commandPrivileges({ skills, commands }: FoundCommands): WithheldSetting[] {
  const asked = [...skills.map((skill) => ({ ...skill, source: skill.file, model: undefined })), ...commands];
  const withheld = asked
    .filter(({ owner }) => owner === "project")
    .flatMap(({ source, allowedTools, model }): WithheldSetting[] => [
      ...(allowedTools.length > 0 ? [{ key: "allowed-tools", value: allowedTools, source }] : []),
      ...(model === undefined ? [] : [{ key: "model", value: model, source }]),
    ]);
  const seen = new Set<string>();
  return withheld.filter(({ key, source }) => !seen.has(`${source}\n${key}`) && seen.add(`${source}\n${key}`));
}
