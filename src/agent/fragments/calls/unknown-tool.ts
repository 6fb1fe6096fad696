import { nearestName } from "../../../platform/index.ts";

/** Names of tools in other programs, in lower case without separators, with the tool that does the same here. */
const counterparts: Readonly<Record<string, string>> = {
  applypatch: "Edit",
  bashoutput: "TaskOutput",
  editfile: "Edit",
  execcommand: "Bash",
  executebash: "Bash",
  filesearch: "Glob",
  grepsearch: "Grep",
  killbash: "TaskStop",
  killshell: "TaskStop",
  listdirectory: "Glob",
  listfiles: "Glob",
  ls: "Glob",
  multiedit: "Edit",
  readfile: "Read",
  runcommand: "Bash",
  runterminalcommand: "Bash",
  searchfiles: "Grep",
  shell: "Bash",
  strreplaceeditor: "Edit",
  task: "Agent",
  todoread: "TaskList",
  todowrite: "TaskCreate",
  websearch: "WebFetch",
  writefile: "Write",
};

/** The result of a call to a tool that does not exist. */
export function unknownTool(name: string, known: readonly string[]): string {
  if (/^team_?(create|delete)$/i.test(name)) return teamsOff(known);
  const counterpart = counterparts[name.toLowerCase().replace(/[\s_-]/g, "")];
  const near = counterpart !== undefined && known.includes(counterpart) ? counterpart : nearestName(name, known);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return `There is no tool named ${JSON.stringify(name.slice(0, 100))}.${hint} Your tools: ${known.join(", ")}.`;
}

/** Only a lead has the tools for teams, and only while teams are on. */
const teamsOff = (known: readonly string[]): string =>
  `You have no tools for teams: either teams are off, or you do not lead this session. The user can turn them on with the setting teams.enabled, or with --team NAME. ${
    known.includes("Agent") ? "Without a team, start agents with Agent." : "Work without a team."
  }`;
