/** What works on the team and its shared task list: only for members of a team. */
export const teamTools: ReadonlySet<string> = new Set([
  "SendMessage",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskUpdate",
  "TeamCreate",
  "TeamDelete",
]);

/** No agent but the lead, whatever its definition says: the user talks to the lead alone. */
export const toolsDeniedToAgents: ReadonlySet<string> = new Set(["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]);

/** Only the lead and built-in agents: a definition that somebody wrote does not make or remove teams. */
export const toolsDeniedToUserDefined: ReadonlySet<string> = new Set(["TeamCreate", "TeamDelete"]);

/** What an agent may use while nobody waits for it: nothing that starts agents or speaks to others. */
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
