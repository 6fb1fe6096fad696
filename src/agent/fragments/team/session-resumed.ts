import { boundedLines, ongoingTeamLines, type OngoingTeam } from "../ongoing-work.ts";
import { troupeNotice } from "../notice.ts";

/** The end of a session's previous run, as its log shows it. */
export interface PreviousRun {
  /** The time of its last event. */
  readonly endedAt: string;
  /** It was closed in order. Otherwise the program was ended or failed. */
  readonly isClosed: boolean;
  /** The agent's turn did not finish. */
  readonly isTurnOpen: boolean;
  /** Commands in the background that ended with it. */
  readonly lostCommands: readonly string[];
  /** Members whose plan can no longer be answered. */
  readonly voidPlans: readonly string[];
}

/** For an agent in a team whose session is resumed: what has ended, who is there, and what is open. */
export const sessionResumed = (run: PreviousRun, teams: readonly OngoingTeam[]): string =>
  troupeNotice(
    [
      `This session was ${run.isClosed ? "closed" : "interrupted"} at ${run.endedAt} and continues now. Time has passed: check what may have changed.`,
      ...(run.isTurnOpen
        ? ["Your turn was interrupted. What you have not seen the result of may or may not be done."]
        : []),
      ...(run.lostCommands.length === 0
        ? []
        : ["These commands ran in the background and do not run any more:", ...boundedLines(run.lostCommands)]),
      ...(run.voidPlans.length === 0
        ? []
        : [
            `The plan of ${run.voidPlans.join(" and of ")} from before cannot be answered any more: its request_id is void. Wait for the plan to come again, with a new request_id.`,
          ]),
      ...teams.flatMap(ongoingTeamLines),
    ].join("\n"),
  );
