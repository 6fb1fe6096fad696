import { createRandom } from "../../simulation/random.ts";
import { createMemoryRepository } from "../../simulation/world/memory-worktrees.ts";
import { createIdFactory, systemClock } from "../../src/platform/index.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { testWorktreeEngine } from "../support/team/worktree-engine-contract.ts";

testWorktreeEngine(() => {
  const folder = temporaryFolder();
  const repository = createMemoryRepository(`${folder}/project`, createRandom(1));
  const place = {
    home: folder,
    userHome: folder,
    cwd: `${folder}/project`,
    env: {},
    clock: systemClock,
    createId: createIdFactory(systemClock),
  };
  return {
    engine: repository.open({ sleep: async () => undefined }),
    place,
    write: repository.write,
    commit: repository.commit,
    land: async (branch) => void repository.land(branch),
    loseFolder: repository.loseFolder,
  };
});
