/** Said with the next prompt when plan mode is on. */
export const planModeOn = `<plan-mode>
Plan mode is on. Until the user has approved a plan, change nothing: no edits, no commands that write, no commits; such calls are refused. Read and search as much as you need. If something that only the user can know would change the plan, ask. When you know what is to be done, call ExitPlanMode with the plan: what you will change and where, in which order, and how you will check it.
</plan-mode>`;

/** The same to a coordinator, which presents its plan in its answer. */
export const planModeOnForCoordinator = `<plan-mode>
Plan mode is on. Until the user has approved a plan and switched it off, nothing is changed: your workers can read and search, and what would write is refused. Have them find out what you need. If something that only the user can know would change the plan, ask. When you know what is to be done, give the plan as your answer: what will be changed and where, in which order, by how many workers, and how it will be checked.
</plan-mode>`;

/** Said with the next prompt when plan mode was on and the user has switched it off. */
export const planModeOff = `<plan-mode>
Plan mode is off now. You may make changes again, with the usual permissions.
</plan-mode>`;

/** The result of presenting a plan where nobody can approve it. */
export const planUnattended =
  "The plan was not approved: nobody is here to do it. Nothing was changed, and this run ends with the plan as its answer. Carry it out only once the user says so.";
