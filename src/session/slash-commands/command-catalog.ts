import { dirname } from "node:path";
import type { SkillSource } from "../../tool/index.ts";
import type { Config } from "../config/load-config.ts";
import { realPathOf } from "./command-folders.ts";
import { type Skill, skillSource } from "./skills.ts";
import type { SlashCommand } from "./slash-commands.ts";

/** The skills and slash commands of one session, as they were at its start. */
export interface CommandCatalog {
  readonly commands: readonly SlashCommand[];
  /** All skills. */
  readonly all: readonly Skill[];
  /** The skills that a model may load itself. */
  readonly listed: readonly Skill[];
  /** Folders of the user's own skills. Their files may be read without asking. */
  readonly readable: readonly string[];
  readonly notices: readonly string[];
  readonly isTrusted: boolean;
  readonly userHome: string;
  /** Before a skill's text is returned, `allow` receives the rules that the skill grants, if they are trusted. */
  source(allow: (rules: readonly string[], file: string) => Promise<void>): SkillSource;
}

export function openCommandCatalog(
  config: Pick<Config, "projectFolders" | "home" | "userHome" | "trust" | "slash">,
): CommandCatalog {
  const places = { projectFolders: config.projectFolders, home: config.home, userHome: config.userHome };
  const isTrusted = config.trust === "all";
  const { skills, commands, notices } = config.slash;
  return {
    commands,
    all: skills,
    listed: skills.filter((skill) => skill.forModels),
    readable: skills.flatMap(({ owner, file }) => {
      const real = owner === "user" ? realPathOf(file) : undefined;
      return real === undefined ? [] : [dirname(real)];
    }),
    notices,
    isTrusted,
    userHome: config.userHome,
    source: (allow) =>
      skillSource(skills, {
        places,
        onLoad: async ({ owner, allowedTools, file }) => {
          if (owner === "user" || isTrusted) await allow(allowedTools, file);
        },
      }),
  };
}
