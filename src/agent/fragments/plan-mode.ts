/** Sent with the next prompt when plan mode is on. */
export const planModeOn = `<plan-mode>
Plan mode is on. Until the user approves a plan, change nothing: no edits, no commands that write, no commits. Such calls are refused. Read and search as much as you need. If something that only the user knows would change the plan, ask. When you know what to do, call ExitPlanMode with the plan: what you will change and where, in which order, and how you will check it.
</plan-mode>`;

/** The same for a coordinator, which presents its plan as its answer. */
export const planModeOnForCoordinator = `<plan-mode>
Plan mode is on. Until the user approves a plan and switches plan mode off, nothing is changed: your workers can read and search, and calls that write are refused. Have them find out what you need. If something that only the user knows would change the plan, ask. When you know what to do, give the plan as your answer: what will change and where, in which order, by how many workers, and how it will be checked.
</plan-mode>`;

/** Sent with the next prompt after the user has switched plan mode off. */
export const planModeOff = `<plan-mode>
Plan mode is off now. You may make changes again, with the usual permissions.
</plan-mode>`;

/** The result of presenting a plan when no user can approve it. */
export const planUnattended =
  "The plan was not approved: no user is available. Nothing was changed, and this run ends with the plan as its answer. Carry it out only when the user says so.";
