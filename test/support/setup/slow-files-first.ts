import { BaseSequencer, type TestSpecification } from "vitest/node";

const slowFolders = [
  "behaviour",
  "cli/commands",
  "demo",
  "docs",
  "platform/process",
  "scripts",
  "session/permissions",
  "session/teams",
  "simulation",
  "store",
  "team/land",
  "team/worktree",
];

/** Starts the slowest files first, so that no worker runs one alone at the end. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) =>
      slowFolders.some((folder) => moduleId.includes(`/test/${folder}/`));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
