import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Starts the slowest files first, so that no worker runs one alone at the end. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/test\/(?:behaviour\/(?!promises\/promise-)|demo\/|scripts\/|cli\/commands\/|team\/(?:worktree|land)\/|platform\/process\/)/.test(
        moduleId,
      );
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
