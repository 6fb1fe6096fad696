import { expect, test } from "vitest";
import type { Event, WorkItem } from "../../../src/protocol/index.ts";
import { askerOf, currentQuestion, taskBoard, waitingQuestionCount } from "../../../src/view/index.ts";
import { sampleTask } from "../../support/team/sample-task.ts";
import { asked, joined, member, oneHelper, stateAfter } from "../../support/view/sample-app-state.ts";
import { helper, opened, spawned } from "../../support/view/sample-envelopes.ts";

const task = (id: number, more: Partial<WorkItem> = {}, team: string | undefined = "crew"): Event => ({
  type: "task.changed",
  ...(team && { team }),
  task: sampleTask(id, more),
});

test("order: in progress, ready, blocked, completed", () => {
  const board = taskBoard(
    stateAfter([
      opened(),
      spawned(),
      joined("lead"),
      member("working"),
      task(1, { status: "completed" }),
      task(2, { blockedBy: [1, 4] }),
      task(3, { blockedBy: [1] }),
      task(4, { status: "in_progress", owner: "scout" }),
      task(5, { status: "deleted" }),
    ]),
  );
  expect(board.team).toBe("crew");
  expect(board.rows.map(({ task: { id }, blockedBy }) => [id, blockedBy])).toEqual([
    [4, []],
    [3, []],
    [2, [4]],
    [1, []],
  ]);
  expect(board.rows[0]?.ownerColor).toBe("cyan");
  expect(board.counts).toEqual({ pending: 2, in_progress: 1, completed: 1, deleted: 1 });
});

test("without a team, or while its list is empty, it is the session's own", () => {
  const own = task(1, {}, "");
  expect(taskBoard(stateAfter([opened(), spawned(), own])).rows).toHaveLength(1);
  expect(taskBoard(stateAfter([opened(), spawned(), own, joined("lead")]))).toMatchObject({ team: "" });
});

test("asking agent: the lead, a subagent by name, a member in its colour", () => {
  const ofMember = { ...asked(3), member: { team: "crew", name: "scout" } } as Event;
  const state = stateAfter([...oneHelper, joined("lead"), member("waiting"), asked(1), [helper, asked(2)], ofMember]);
  expect(currentQuestion(state)).toBe(state.session.questions[0]);
  expect(waitingQuestionCount(state)).toBe(2);
  const [first, second, third] = state.session.questions.map((question) => askerOf(state, question));
  expect(first).toMatchObject({ name: "lead", isLead: true });
  expect(second).toMatchObject({ name: "helper", isLead: false, team: undefined });
  expect(third).toEqual({ name: "scout", team: "crew", color: "cyan", agentType: "explorer", isLead: false });
});
