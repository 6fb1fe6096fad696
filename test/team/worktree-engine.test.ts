import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gitWorktrees, land } from "../../src/team/index.ts";
import { testRepository } from "../support/git/test-repository.ts";
import { testWorktreeEngine } from "../support/team/worktree-engine-contract.ts";

testWorktreeEngine(() => {
  const { place, gitIn } = testRepository();
  return {
    engine: gitWorktrees,
    place,
    write: (folder, file) => writeFileSync(join(folder, file), "text\n"),
    commit(folder) {
      gitIn(folder, "add", "-A");
      gitIn(folder, "commit", "-qm", "work");
    },
    land: async (branch) => void (await land(place, { branches: [branch] })),
    loseFolder: (path) => rmSync(path, { recursive: true }),
  };
});
