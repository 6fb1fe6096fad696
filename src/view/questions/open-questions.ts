import type { AppState } from "../app/app-state.ts";
import { agentName } from "../session/agent-view.ts";
import { agentOf, leadOf, type Question } from "../session/session-view.ts";

/** The asking agent, for a dialog. The name is unfiltered: apply `visibleLine` before drawing it. */
export interface Asker {
  readonly name: string;
  readonly team: string | undefined;
  readonly color: string | undefined;
  readonly agentType: string | undefined;
  readonly isLead: boolean;
}

/** The question whose dialog is open. */
export function currentQuestion(state: AppState): Question | undefined {
  const { dialog } = state;
  if (dialog.kind !== "permission") return undefined;
  return state.session.questions.find(({ requestId }) => requestId === dialog.requestId);
}

/** The number of further questions behind it. */
export const waitingQuestionCount = (state: AppState): number =>
  state.session.questions.length - (currentQuestion(state) ? 1 : 0);

export function askerOf(state: Pick<AppState, "session">, { agent, member }: Question): Asker {
  if (member) {
    const known = state.session.teams.get(member.team)?.members.find(({ name }) => name === member.name);
    const { team, name, color = known?.color } = member;
    return { name, team, color, agentType: known?.agentType, isLead: false };
  }
  const asking = agentOf(state.session, agent);
  const name = asking ? agentName(asking) : agent;
  const isLead = leadOf(state.session)?.id === agent;
  return { name, team: undefined, color: undefined, agentType: asking?.agentType, isLead };
}
