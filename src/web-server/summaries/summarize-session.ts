import { isOpenTask, type SessionListing, type SessionSummary, type WaitingQuestion } from "../../protocol/index.ts";
import { agentOf, type AgentView, itemsOf, leadOf, sessionSpending, type SessionView } from "../../view/index.ts";

/** The most questions and failures in one summary. */
const most = 50;

/** Summarizes a session from the fold of its log. */
export function summarizeSession(
  view: SessionView,
  { id, state }: Pick<SessionListing, "id" | "state">,
  isPartial: boolean,
): SessionSummary {
  const isRunning = state !== "stored";
  const agents = { working: 0, asking: 0, idle: 0 };
  const failures: { name: string; at: string; text: string }[] = [];
  let lastAt = "";
  for (const agent of itemsOf(view.agents)) {
    const { status } = agent;
    if (agent.updatedAt > lastAt) lastAt = agent.updatedAt;
    if (isRunning && (status.kind === "running" || status.kind === "starting")) agents.working += 1;
    else if (isRunning && status.kind === "waiting") agents.asking += 1;
    else if (status.kind === "idle") agents.idle += 1;
    const text = failureOf(agent);
    if (text !== undefined) failures.push({ name: nameOf(view, agent), at: agent.updatedAt, text });
  }
  for (const { members } of view.teams.values())
    for (const { name, ended, since, detail = "" } of members)
      if (ended === "failed" || ended === "lost")
        failures.push({ name, at: since, text: detail === "" ? ended : detail });
  const tasks = [...view.tasks.values()].flat().filter(({ status }) => status !== "deleted");
  return {
    session: id,
    end: endOf(view, isRunning),
    agents,
    failures: failures.slice(-most),
    tasks: { done: tasks.filter((task) => !isOpenTask(task)).length, all: tasks.length },
    costUsd: sessionSpending(view).total.costUsd,
    lastAt,
    questions: isRunning ? view.questions.slice(0, most).map((question) => waitingQuestion(view, question)) : [],
    isPartial,
  };
}

function endOf(view: SessionView, isRunning: boolean): SessionSummary["end"] {
  if (isRunning) return "open";
  if (view.state.kind !== "closed") return "died";
  return view.state.reason === "failed" ? "failed" : "closed";
}

function failureOf({ status }: AgentView): string | undefined {
  if (status.kind === "idle" && status.reason === "failed") return status.detail ?? "failed";
  return status.kind === "stopped" && status.outcome === "failed" ? (status.detail ?? "failed") : undefined;
}

function waitingQuestion(view: SessionView, question: SessionView["questions"][number]): WaitingQuestion {
  const { agent, at, ...asked } = question;
  const asking = agentOf(view, agent);
  const known = view.teams.get(asked.member?.team ?? "")?.members.find(({ name }) => name === asked.member?.name);
  const name = asked.member?.name ?? (asking ? nameOf(view, asking) : agent);
  return { agent, at, asked, asker: { name, agentType: known?.agentType ?? asking?.agentType ?? "" } };
}

const nameOf = (view: SessionView, agent: AgentView): string =>
  leadOf(view)?.id === agent.id ? "lead" : (agent.path.split("/").at(-1) ?? agent.path);
