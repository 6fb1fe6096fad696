import { expect, test } from "vitest";
import type { Ask } from "../../../src/testing.ts";
import { alpha, leading, mate, report } from "../../support/team/scripted-team.ts";

const job = (tool: "TaskOutput" | "TaskStop", id: string) => ({ tool, input: { task_id: id } });

test("TaskStop and TaskOutput with the name of a member say which call reads or ends it", async () => {
  const scout = ({ turn, results }: Ask) =>
    turn === 1
      ? { calls: [job("TaskOutput", "team-lead"), job("TaskStop", "scout")] }
      : { text: `scout read: ${results.map(({ text }) => text).join(" ")}` };
  const team = await alpha({
    answer: leading(
      [
        { calls: [mate("scout")] },
        { calls: [job("TaskStop", "Scout"), job("TaskOutput", "scout"), job("TaskStop", "nobody-knows-it")] },
        { text: "over" },
      ],
      scout,
    ),
  });
  await team.ask("go");
  const { event } = await team.until(report(/scout read: /));
  const help =
    'scout is a teammate, not a background job. Its report comes to you by itself: to wait for it, end your turn. To ask how far it is, write to it with SendMessage. To end it: SendMessage with to "scout" and message {"type":"shutdown_request"}.';
  expect(team.asked("lead")[2]?.results).toMatchObject([
    { isError: true, text: help },
    { isError: true, text: help },
    { isError: true, text: 'There is no background job "nobody-knows-it". You have no background jobs.' },
  ]);
  expect(JSON.stringify(event)).toContain(
    "team-lead is a member of your team, not a background job. Write to it with SendMessage. Only team-lead ends members. scout is you, not a background job.",
  );
});
