/** Tools for the team and its shared task list: only for members of a team. */
export const teamTools: ReadonlySet<string> = new Set([
  "SendMessage",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskUpdate",
  "TeamCreate",
  "TeamDelete",
]);

/** Denied to every agent except the lead, whatever its definition says: the user talks only to the lead. */
export const toolsDeniedToAgents: ReadonlySet<string> = new Set(["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]);

/** Only for the lead and built-in agents: a user-defined agent does not create or remove teams. */
export const toolsDeniedToUserDefined: ReadonlySet<string> = new Set(["TeamCreate", "TeamDelete"]);

/** Tools for an agent in the background: none that starts agents or sends messages. */
export const backgroundSafeTools: ReadonlySet<string> = new Set([
  "Bash",
  "Edit",
  "Glob",
  "Grep",
  "ListMcpResources",
  "NotebookEdit",
  "Read",
  "ReadMcpResource",
  "Skill",
  "TaskOutput",
  "TaskStop",
  "WebFetch",
  "WebSearch",
  "Write",
]);
