import { expect, test } from "vitest";
import type { PromptId, RequestId } from "../../../src/protocol/index.ts";
import { busyMembers } from "../../../src/team/lead/busy-members.ts";
import { attend, type AttentionEvent, noAttention } from "../../../src/team/lead/team-attention.ts";
import { sampleTask } from "../../support/team/sample-task.ts";

const after = (events: readonly AttentionEvent[]) =>
  events.reduce((state, event) => attend(state, event).state, noAttention);

test("member that reported and took another task, was asked to end, or waits for the lead is named with that reason", () => {
  const promptOf = (name: string) => `prm_${name}` as PromptId;
  const report = (name: string) => ({
    at: 1,
    type: "report" as const,
    name,
    promptId: promptOf(name),
    weight: "news" as const,
  });
  const state = after([
    ...["ann", "bob", "cleo", "dan"].map((name) => ({ at: 0, type: "status" as const, name, state: "idle" as const })),
    report("ann"),
    { at: 2, type: "status", name: "ann", state: "working" },
    report("bob"),
    { at: 2, type: "asked_to_end", name: "bob" },
    {
      at: 2,
      type: "request_opened",
      requestId: "ask_1" as RequestId,
      from: "cleo",
      promptId: promptOf("cleo"),
      seen: "not_read",
    },
    { at: 2, type: "work_sent", name: "dan" },
  ]);
  const tasks = [sampleTask(4, { owner: "ann", status: "in_progress" })];
  expect(busyMembers(["ann", "bob", "cleo", "dan"], state, { tasks, activityOf: () => undefined })).toEqual([
    { name: "ann", why: "works", taskId: 4, hasReported: true },
    { name: "bob", why: "asked_to_end", hasReported: true },
    { name: "cleo", why: "plan", hasReported: false },
    { name: "dan", why: "has_mail", hasReported: false },
  ]);
});
