import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest is begun first, so that no worker is left with it when the others have nothing more to do. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/test\/(?:behaviour\/(?!promises\/promise-)|team\/(?:worktree|land)\/|platform\/process\/)/.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
