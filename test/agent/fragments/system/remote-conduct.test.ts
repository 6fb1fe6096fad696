import { expect, test } from "vitest";
import { remoteTeammateConduct } from "../../../../src/agent/index.ts";

test("text for a remote teammate", () => {
  const words = { branch: "troupe/agent-1", base: "0123456789abcdef" };
  expect(remoteTeammateConduct({ ...words, isResumed: true })).toMatchInlineSnapshot(`
    "# Where you work
    You work in a clone of the repository, on the branch troupe/agent-1, on a different machine from your lead. Commit your work: your commits go to your lead's repository as that branch. Whenever you become idle, uncommitted changes are committed for you. Files outside the clone, and ignored files, stay here. Others cannot see your files, and you cannot see theirs: say in your messages all that they need to know.

    You worked on this before, in another clone that is gone. The commits made there are in this one (git log 0123456789ab..); uncommitted changes are lost. Files that you know by other paths are now in this clone."
  `);
  expect(remoteTeammateConduct({ ...words, isResumed: false })).not.toContain("before");
});
