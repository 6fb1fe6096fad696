// Teams: mail, tasks with dependencies, plan approval, permission questions, shutdown, a resumed team.
// Each answer waits until earlier mail has arrived, so that every run has the same conversations.
import { agent, bypass, call, calls, open, print, prompt, reply, send, usage } from "./say.mjs";

const mate = (name, text, more = {}) => agent(name, text, { name, ...more });
const task = (subject, more = {}) => call("TaskCreate", { subject, description: `${subject}, all of it.`, ...more });
const done = (taskId) => call("TaskUpdate", { taskId, status: "completed" });
const inProcess = ["--settings", JSON.stringify({ teams: { backend: "in-process" } })];
const types = {
  writer: {
    description: "Writes.",
    prompt: "You write.",
    tools: ["Read", "Write", "SendMessage", "TaskUpdate", "ExitPlanMode"],
  },
  listener: { description: "Listens.", prompt: "You listen.", tools: ["Read", "SendMessage"] },
};
const withTypes = ["--agents", JSON.stringify(types)];
const act = (...list) => ({ ...calls(...list), usage });
const say = (text) => ({ text, usage });

/** Gives an answer after an event. */
const when = (happened, answer) => async (ask, stage) => {
  await happened(stage);
  return answer;
};
const leadRests = (times) => (stage) => stage.idle("lead", times);
/** Resolves when the lead has received this many mails from a member. */
const leadHeard = (from, times) => (stage) =>
  stage.seen(({ event }) => event.type === "mail.received" && event.from === from, times);

const requestIn = (said) => /"request_id":"([^"]+)"/.exec(said)?.[1];

/** Plays steps in order. A member agrees to a shutdown request once its lead is idle. */
const member = (steps, rests) => async (ask, stage) => {
  const id = requestIn(ask.said);
  if (id !== undefined && ask.said.includes("shutdown_response")) {
    await stage.idle("lead", rests);
    return act(send("team-lead", { type: "shutdown_response", request_id: id, approve: true }));
  }
  const step = steps[ask.turn - 1];
  return typeof step === "function" ? step(ask, stage) : step;
};

/** Runs a team session until its lead has been idle this many times. */
async function lead(stage, times, words, ...more) {
  const run = open(stage, "--team", "press", ...inProcess, ...more);
  run.send(prompt(words, { id: "1" }));
  await stage.idle("lead", times);
  run.end();
  await run.done;
}

const mailAndTasks = {
  name: "team-mail-and-tasks",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      { text: "I start two.", ...act(mate("ann", "wait for tasks", { subagent_type: "writer" })) },
      act(mate("bob", "wait for mail", { subagent_type: "listener" })),
      act(task("Write the page", { needs: ["Write"], acceptance: [{ command: "grep -q Troupe page.txt" }] })),
      act(task("Read the page", { needs: ["Write"], blockedBy: [1] })),
      act(call("TaskList", {})),
      say("They are at work."),
      { text: "I end it.", ...act(send("ann", { type: "shutdown_request", reason: "done" })) },
      say("Ann is asked."),
      act(send("bob", { type: "shutdown_request" })),
      say("Bob is asked."),
      say("All have gone."),
    ],
    ann: member(
      [
        when(leadHeard("bob", 1), say("Ready.")),
        when(leadHeard("ann", 1), act(call("Write", { file_path: "page.txt", content: "Nothing\n" }))),
        act(done(1)),
        act(call("Write", { file_path: "page.txt", content: "Troupe\n" })),
        act(done(1)),
        say("Written."),
        when(leadHeard("ann", 2), act(call("Read", { file_path: "page.txt" }))),
        act(send("bob", "It is a good page.", "the page is good")),
        when(leadHeard("bob", 2), act(done(2))),
        say("Read, too."),
      ],
      2,
    ),
    bob: member([when(leadRests(1), say("I listen.")), say("I heard of the page.")], 3),
  },
  async play(stage) {
    await lead(stage, 4, "have a page written", ...bypass, ...withTypes);
    await stage.start(["team", "show", "press"]).done;
    await stage.start(["team", "list", "--json"]).done;
    await stage.start(["tasks", "list", "--all", "--team", "press"]).done;
    await stage.start(["team", "inbox", "press", "bob"]).done;
    await stage.start(["team", "log", "press"]).done;
  },
};

const plan = (text) => act(call("ExitPlanMode", { plan: text }));
const answerPlan =
  (approve, more = {}) =>
  (ask) =>
    act(send("ann", { type: "plan_approval_response", request_id: requestIn(ask.said), approve, ...more }));

const planApproval = {
  name: "team-plan-approval",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      act(mate("ann", "plan a page", { subagent_type: "writer", plan_mode_required: true })),
      say("I wait for a plan."),
      answerPlan(false, { feedback: "smaller steps" }),
      say("Turned down."),
      answerPlan(true),
      say("Approved."),
      act(send("ann", { type: "shutdown_request" })),
      say("Ann is asked."),
      say("Ann has gone."),
    ],
    ann: member(
      [
        when(leadRests(1), act(call("Write", { file_path: "page.txt", content: "too early\n" }))),
        plan("1. Write all at once."),
        when(leadRests(2), plan("1. Write page.txt.")),
        when(leadRests(3), act(call("Write", { file_path: "page.txt", content: "Troupe\n" }))),
        say("Written as planned."),
      ],
      4,
    ),
  },
  async play(stage) {
    await lead(stage, 5, "have a page planned", "--permission-mode", "acceptEdits", ...withTypes);
    await stage.start(["team", "delete", "press"]).done;
  },
};

const questions = {
  name: "team-questions",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      act(mate("ann", "write two pages", { subagent_type: "writer" })),
      say("I wait."),
      act(send("ann", { type: "shutdown_request" })),
      say("Ann is asked."),
      say("Ann has gone."),
    ],
    ann: member(
      [
        when(leadRests(1), act(call("Write", { file_path: "one.txt", content: "1\n" }))),
        act(call("Write", { file_path: "two.txt", content: "2\n" })),
        say("One of two."),
      ],
      2,
    ),
  },
  async play(stage) {
    const run = open(stage, "--team", "press", ...inProcess, ...withTypes);
    run.send(prompt("have it written", { id: "1" }));
    await reply(stage, run, 1, { behavior: "allow", scope: "once" }, { ofMember: true });
    await reply(stage, run, 2, { behavior: "deny", message: "one is enough" }, { ofMember: true });
    await stage.idle("lead", 3);
    run.end();
    await run.done;
  },
};

const resumed = {
  name: "team-resumed",
  repository: true,
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      act(call("TeamCreate", { team_name: "press", description: "writes pages" })),
      act(mate("ann", "write in a tree", { subagent_type: "general-purpose", isolation: "worktree" })),
      say("It is at work."),
      say("Ann has written."),
      when(leadHeard("ann", 2), say("I look.")),
      say("Both pages are there."),
    ],
    ann: member(
      [
        when(
          leadRests(1),
          act(call("Bash", { command: "echo page > page.txt && git add -A && git commit -q -m page" })),
        ),
        say("The page is committed."),
        act(call("Bash", { command: "echo two > two.txt && git add -A && git commit -q -m two" })),
        say("The second page is committed."),
      ],
      9,
    ),
  },
  async play(stage) {
    const enabled = ["--settings", JSON.stringify({ teams: { backend: "in-process", enabled: true, keep: true } })];
    await print(stage, "have a page written", ...bypass, ...enabled);
    await stage.start(["team", "send", "press", "ann", "and now a second page"]).done;
    await print(stage, "have another", ...bypass, ...enabled, "--continue");
    await stage.start(["team", "show", "press", "--json"]).done;
    await stage.start(["worktree", "list"]).done;
  },
};

export const teams = [mailAndTasks, planApproval, questions, resumed];
