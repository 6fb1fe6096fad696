import { expect, test } from "vitest";
import type { ToolContext } from "../../../src/tool/index.ts";
import { moveToBackground } from "../../../src/team/index.ts";
import type { Subagent, SubagentRun } from "../../../src/team/subagents/subagent.ts";

test("an agent whose background job cannot start is stopped, because no agent would hear its end", async () => {
  const stopped: string[] = [];
  const subagent = { id: "agt_00000001", interrupt: async (reason: string) => void stopped.push(reason) };
  const background = { start: () => Promise.reject(new Error("the disk is full")) };
  const moved = moveToBackground({ background } as unknown as Pick<ToolContext, "background">, {
    subagent: subagent as unknown as Subagent,
    run: {} as SubagentRun,
    description: "Help",
    prompt: "Help.",
  });
  await expect(moved).rejects.toThrow("the disk is full");
  expect(stopped).toEqual(["its background job could not start"]);
});
