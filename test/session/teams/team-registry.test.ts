import { expect, test } from "vitest";
import { agrees, alpha, inState, mate, say } from "../../support/team/scripted-team.ts";
import type { TeamSession } from "../../support/team/team-session.ts";

const create = (team_name: string) => ({ tool: "TeamCreate", input: { team_name } });
const remove = { tool: "TeamDelete", input: {} };
const task = { tool: "TaskCreate", input: { subject: "later", description: "not now" } };

/** Each prompt is the name of the calls that the lead makes. */
const callsOn =
  (wanted: Readonly<Record<string, readonly { tool: string; input: object }[]>>) =>
  ({ result, said }: { result?: unknown; said: string }) => {
    const line = result ? undefined : said.split("\n").find((each) => each in wanted);
    return line === undefined ? { text: "fine" } : { calls: [...(wanted[line] ?? [])] };
  };

const lastResult = (team: TeamSession) => {
  const content = team.all("tool.settled", "lead").at(-1)?.content ?? [];
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
};

test("TeamCreate is refused while the lead has an unused team, and for the name of its team", async () => {
  const calls = callsOn({
    first: [create("beta")],
    "a task": [task],
    second: [create("Alpha")],
    third: [create("beta")],
  });
  const team = await alpha({ answer: calls });
  await team.ask("first");
  expect(lastResult(team)).toBe(
    "No team was created: you already lead the team alpha, and it has no members and no tasks. Use it: start teammates with Agent and a name.",
  );
  await team.ask("a task");
  await team.ask("second");
  expect(lastResult(team)).toBe(
    "No team was created: you already lead the team alpha. Use it: start teammates with Agent and a name.",
  );
  await team.ask("third");
  expect(lastResult(team)).toContain("The team beta is ready");
});

test("TeamDelete says who must end, who was asked already, and whose tasks are left", async () => {
  let answerMembers = () => {};
  const isRefused = new Promise<void>((resolve) => {
    answerMembers = resolve;
  });
  const lead = callsOn({
    start: [{ ...task, input: { ...task.input, owner: "team-lead" } }, mate("bob"), mate("ann")],
    "delete it": [remove],
    "ask both": [say("bob", { type: "shutdown_request" }), say("ann", { type: "shutdown_request" }), remove],
    "second team": [create("beta")],
  });
  const team = await alpha({
    answer: async (ask) => {
      if (ask.agent === "lead") {
        if (ask.result?.text.includes("not deleted yet")) answerMembers();
        return lead(ask);
      }
      if (ask.said.includes("asks you to end")) await isRefused;
      return agrees(ask) ?? { text: "done" };
    },
  });
  await team.ask("start");
  await inState(team, "bob", "idle");
  await inState(team, "ann", "idle");
  await team.ask("delete it");
  expect(lastResult(team)).toBe(
    `The team alpha is not deleted: bob, ann are still active. First ask for the end with SendMessage to "*", message {"type":"shutdown_request"}. You are notified when each has ended. Then call TeamDelete.`,
  );
  await team.ask("ask both");
  expect(lastResult(team)).toBe(
    "The team alpha is not deleted yet: bob, ann are already asked to end. You are notified when each has ended. There is nothing to do until then: end your turn, and call TeamDelete after that notice.",
  );
  await inState(team, "bob", "ended");
  await inState(team, "ann", "ended");
  await expect.poll(() => team.session.backgroundRunning()).toEqual([]);
  await team.ask("second team");
  await team.ask("delete it");
  expect(lastResult(team)).toBe(
    "The team beta is deleted, with its mail and its tasks. You still lead alpha as team-lead: your task tools now use its list, and Agent starts teammates there.",
  );
  await team.ask("delete it");
  expect(lastResult(team)).toBe(
    "The team alpha is deleted, with its mail and its tasks. You lead no team now, and your task list is yours alone. The work of the team is over. Your next answer is what the user gets: give the whole answer, with what you said before.",
  );
});
