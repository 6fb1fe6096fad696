import { join } from "node:path";
import { safeName } from "../../platform/index.ts";

/** The paths of one team's files. Folders get mode 0700, files 0600. */
export interface TeamFiles {
  readonly folder: string;
  readonly record: string;
  readonly tasks: string;
  readonly inboxes: string;
  /** Mail bodies that are too large for a record. */
  readonly bodies: string;
  readonly presence: string;
  readonly keys: string;
}

export const teamsFolder = (home: string): string => join(home, "teams");

export const teamFiles = (home: string, team: string): TeamFiles => filesIn(join(teamsFolder(home), safeName(team)));

export function filesIn(folder: string): TeamFiles {
  return {
    folder,
    record: join(folder, "team.jsonl"),
    tasks: join(folder, "tasks.jsonl"),
    inboxes: join(folder, "inboxes"),
    bodies: join(folder, "bodies"),
    presence: join(folder, "presence"),
    keys: join(folder, "keys"),
  };
}

export const inboxFile = (files: TeamFiles, member: string): string => join(files.inboxes, `${safeName(member)}.jsonl`);
