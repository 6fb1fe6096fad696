import { expect, test } from "vitest";
import { remoteTeammateConduct } from "../../../../src/agent/index.ts";

test("text for a remote teammate", () => {
  const words = { branch: "troupe/agent-1", base: "0123456789abcdef" };
  expect(remoteTeammateConduct({ ...words, isResumed: true })).toMatchInlineSnapshot(`
    "# Where you work
    You work in a clone of the repository, on the branch troupe/agent-1, on another machine than your lead. Commit what you do: your commits go to your lead's repository as that branch. Whenever you rest, what you have changed and not committed is committed for you; files outside the clone, and ignored ones, stay here. Others cannot see your files, and you cannot see theirs: say in your messages all that they need to know.

    You have been at this before, in another clone that is gone. What had been committed there is in this one (git log 0123456789ab..); what had not is lost. Files that you know by other paths are here now."
  `);
  expect(remoteTeammateConduct({ ...words, isResumed: false })).not.toContain("before");
});
