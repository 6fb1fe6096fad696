import { useMemo } from "react";
import { AgentColor, type SessionId, type SessionListing } from "../../../src/protocol/index.ts";
import { agentOf, leadOf, type Question, type SessionView } from "../../../src/view/index.ts";
import { useDashboard } from "./dashboard-store.ts";

export interface Approval {
  readonly question: Question;
  /** The session that receives the answer: a lead shows the questions of its members. */
  readonly session: SessionId;
  readonly asker: Asker;
  /** Why it cannot be answered from here. */
  readonly readOnlyReason: string | undefined;
}

/** The asking agent. The name is unfiltered. */
export interface Asker {
  readonly name: string;
  readonly team: string | undefined;
  readonly color: AgentColor | undefined;
  readonly agentType: string;
}

export function useApprovals(session: SessionId | undefined): readonly Approval[] {
  const view = useDashboard((state) => (session === undefined ? undefined : state.views.get(session)));
  const sessions = useDashboard((state) => state.sessions);
  const questions = view?.questions;
  const teams = view?.teams;
  // Other events of the agents do not change the questions.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(
    () => (session && view ? approvalsOf(view, session, sessions ?? []) : []),
    [questions, teams, session, sessions],
  );
}

/** Oldest first. A session without a process has no open questions. */
export function approvalsOf(
  view: SessionView,
  session: SessionId,
  sessions: readonly SessionListing[],
): readonly Approval[] {
  const listing = sessions.find(({ id }) => id === session);
  const lead =
    listing?.role === "teammate" && listing.team !== undefined
      ? sessions.find(({ role, team, state }) => role === "lead" && team === listing.team && state !== "stored")
      : undefined;
  const at = lead ?? listing;
  if (listing?.state === "stored" && !lead) return [];
  const readOnlyReason =
    at?.state === "open" ? "Cannot reach the process that has this session open. Answer in its terminal." : undefined;
  return view.questions.map((question) => ({
    question,
    session: at?.id ?? session,
    asker: askerOf(view, question),
    readOnlyReason,
  }));
}

export function askerOf(view: SessionView, { agent, member }: Question): Asker {
  if (member) {
    const known = view.teams.get(member.team)?.members.find(({ name }) => name === member.name);
    const color = member.color ?? known?.color;
    return { name: member.name, team: member.team, color: colorOf(color), agentType: known?.agentType ?? "" };
  }
  const asking = agentOf(view, agent);
  const isLead = leadOf(view)?.id === agent;
  const name = isLead ? "lead" : (asking?.path.split("/").at(-1) ?? agent);
  return { name, team: undefined, color: undefined, agentType: asking?.agentType ?? "" };
}

const colorOf = (color: string | undefined): AgentColor | undefined =>
  AgentColor.options.find((known) => known === color);
