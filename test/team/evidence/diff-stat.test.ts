import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createWorktree, diffStat, diffLine } from "../../../src/team/index.ts";
import { newAgentId, testRepository } from "../../support/git/test-repository.ts";

describe("changes of a worktree against its base", () => {
  test("commits, changes, new files and binary ones, without ignored files", async () => {
    const repository = testRepository();
    repository.commit("more", { "b.txt": "1\n2\n3\n", "gone.txt": "x\n" });
    const { path, base } = await createWorktree(repository.place, { agentId: newAgentId() });
    expect(await diffStat(repository.place, { path, base })).toEqual({ files: [], added: 0, removed: 0 });

    const inTree = (name: string, text: string) => writeFileSync(join(path, name), text);
    repository.commit("work", { "a.txt": "one\ntwo\n" }, path);
    inTree("b.txt", "1\n3\n");
    inTree("new\tname.txt", "no newline at the end");
    inTree("new.bin", "a\0b");
    inTree(".env", "SECRET=1\n");
    repository.gitIn(path, "rm", "-q", "gone.txt");
    // Nothing that the repository's config names is run.
    repository.git("config", "filter.evil.clean", "touch evil");
    inTree(".gitattributes", "b.txt filter=evil\n");

    const { files, added, removed } = await diffStat(repository.place, { path, base });
    expect(Object.fromEntries(files.map((file) => [file.path, [file.added, file.removed]]))).toEqual({
      "a.txt": [1, 0],
      "b.txt": [0, 1],
      "gone.txt": [0, 1],
      "new.bin": [null, null],
      "new\tname.txt": [1, 0],
      ".gitattributes": [1, 0],
    });
    expect({ added, removed }).toEqual({ added: 3, removed: 2 });
    await expect(diffStat(repository.place, { path: repository.root, base })).rejects.toThrow(
      "is not a worktree of the repository at",
    );
    expect(await diffLine(repository.place, { path, base })).toMatch(/^diff: \d+ files, \+\d+ -\d+: /);
    expect(await diffLine(repository.place, { path: repository.root, base })).toMatch(
      /^diff: unknown \(.*is not a worktree of the repository at/,
    );
  });
});
