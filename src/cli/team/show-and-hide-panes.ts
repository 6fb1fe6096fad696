import { teamLead, TroupeError } from "../../protocol/index.ts";
import { movePane } from "../../team/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { openTeams } from "./open-teams.ts";
import { printJson, stdoutScreen } from "./command-output.ts";

/** Puts the pane of a member out of sight. It works on. */
export const hidePane = (team: string, who: string, flags: { readonly json?: boolean }) =>
  setPane(team, who, { ...flags, hidden: true });

/** Puts it back beside the others, and says how to look at it. */
export const showPane = (team: string, who: string, flags: { readonly json?: boolean }) =>
  setPane(team, who, { ...flags, hidden: false });

async function setPane(team: string, who: string, flags: { json?: boolean; hidden: boolean }): Promise<number> {
  const { teams, cwd } = await openTeams();
  const { record, close } = await teams.open(team);
  try {
    const { members, hiddenPaneIds } = record.current();
    const member = members.find(({ name }) => name === who && name !== teamLead);
    if (!member) throw new TroupeError("team", `${team} has no member ${JSON.stringify(who)}.`);
    if (!member.pane) throw new TroupeError("team", `${who} has no pane: it runs ${member.backendType}.`);
    const { hidden } = flags;
    const { state, attach } = await movePane(member.pane, { hidden, env: withoutUndefined(process.env), cwd });
    if (state !== "there") throw new TroupeError("team", `the pane of ${who} is not there any more.`);
    const { paneId } = member.pane;
    // Panes that are gone drop out with every change.
    const panes = new Set(members.flatMap(({ pane, ended }) => (pane && !ended ? [pane.paneId] : [])));
    const others = hiddenPaneIds.filter((id) => id !== paneId && panes.has(id));
    await record.changeTeam({ hiddenPaneIds: hidden ? [...others, paneId] : others });
    if (flags.json) printJson({ name: who, paneId, hidden, attach });
    else if (hidden) stdoutScreen().paragraph(`the pane of ${who} is out of sight; it works on`);
    else stdoutScreen().paragraph(`the pane of ${who} is beside the others: ${attach}`);
    return exitCodes.done;
  } finally {
    await close();
  }
}

const withoutUndefined = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
