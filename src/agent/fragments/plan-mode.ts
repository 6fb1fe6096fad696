import { troupeNotice } from "./notice.ts";

/** Sent with the next prompt when plan mode is on. */
export const planModeOn = `<plan-mode>
Plan mode is on. Until the user approves a plan, change nothing: no edits, no commands that write, no commits. Such calls are refused. Read and search as much as you need. If something that only the user knows would change the plan, ask. When you know what to do, call ExitPlanMode with the plan: what you will change and where, in which order, and how you will check it.
</plan-mode>`;

/** The same for a coordinator, which presents its plan as its answer. */
export const planModeOnForCoordinator = `<plan-mode>
Plan mode is on. Until the user approves a plan and switches plan mode off, nothing is changed: your workers can read and search, and calls that write are refused. Have them find out what you need. If something that only the user knows would change the plan, ask. When you know what to do, give the plan as your answer: what will change and where, in which order, by how many workers, and how it will be checked.
</plan-mode>`;

/** For a subagent in plan mode, which presents its plan as its last message. */
export const planModeForSubagent = `<plan-mode>
Plan mode is on for you. Change nothing: calls that change files, and commands that do more than read, are refused. Read and search as much as you need. If your task asks for a change, give the plan as your last message: what to change and where, in which order, and how to check it.
</plan-mode>`;

/** Sent with the next prompt after the user has switched plan mode off. */
export const planModeOff = `<plan-mode>
Plan mode is off now. You may make changes again, with the usual permissions.
</plan-mode>`;

/** Sent to a teammate that ends its turn in plan mode without a presented plan. */
export const planReminder = troupeNotice(
  "You are in plan mode and have presented no plan: only ExitPlanMode presents one, and neither your text nor a message does. If your plan is ready, call ExitPlanMode with it. If you wait for something else, end your turn again.",
);

/** The result of a question when no user can answer it. */
export const questionUnattended =
  "No user is available to answer. Decide yourself, choose what is easiest to undo, and say in your last answer what you assumed and what the user should confirm.";

/** Follows a refusal of a plan, and a plan without an answer in time. */
export const planNext = {
  refused: "You are still in plan mode: change the plan and call ExitPlanMode again.",
  late: "You are still in plan mode: call ExitPlanMode again, or end your turn with a report that your plan waits for an answer.",
};

/** The result of presenting a plan when no user can approve it. */
export const planUnattended =
  "The plan was not approved: no user is available. Nothing was changed, and this run ends with the plan as its answer. Carry it out only when the user says so.";
