import { teamLead, TroupeError } from "../../protocol/index.ts";
import type { StoreOptions } from "../../session/index.ts";
import { movePane } from "../../team/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { openTeams } from "./open-teams.ts";
import { printJson, stdoutScreen } from "./command-output.ts";

/** Hides the pane of a member. The member keeps running. */
export const hidePane = (team: string, who: string, flags: StoreOptions & { readonly json?: boolean }) =>
  setPane(team, who, { ...flags, hidden: true });

/** Shows the pane beside the others, and prints how to attach to it. */
export const showPane = (team: string, who: string, flags: StoreOptions & { readonly json?: boolean }) =>
  setPane(team, who, { ...flags, hidden: false });

async function setPane(
  team: string,
  who: string,
  flags: StoreOptions & { json?: boolean; hidden: boolean },
): Promise<number> {
  const { teams, cwd } = await openTeams(flags);
  const { record, close } = await teams.open(team);
  try {
    const { members, hiddenPaneIds } = record.current();
    const member = members.find(({ name }) => name === who && name !== teamLead);
    if (!member) throw new TroupeError("team", `${team} has no member ${JSON.stringify(who)}.`);
    if (!member.pane) throw new TroupeError("team", `${who} has no pane: its backend is ${member.backendType}.`);
    const { hidden } = flags;
    const { state, attach } = await movePane(member.pane, { hidden, env: withoutUndefined(process.env), cwd });
    if (state !== "there") throw new TroupeError("team", `cannot change the pane of ${who}: it no longer exists.`);
    const { paneId } = member.pane;
    // Every change also removes panes that no longer exist.
    const panes = new Set(members.flatMap(({ pane, ended }) => (pane && !ended ? [pane.paneId] : [])));
    const others = hiddenPaneIds.filter((id) => id !== paneId && panes.has(id));
    await record.changeTeam({ hiddenPaneIds: hidden ? [...others, paneId] : others });
    if (flags.json) printJson({ name: who, paneId, hidden, attach });
    else if (hidden) stdoutScreen().paragraph(`the pane of ${who} is hidden; it keeps running`);
    else stdoutScreen().paragraph(`the pane of ${who} is visible: ${attach}`);
    return exitCodes.done;
  } finally {
    await close();
  }
}

const withoutUndefined = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
