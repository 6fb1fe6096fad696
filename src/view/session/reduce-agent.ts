import { partsForPeople } from "../transcript/prompt-text.ts";
import { type Envelope, type Event, isTeamEvent } from "../../protocol/index.ts";
import { type AgentView, newDraft } from "./agent-view.ts";
import { callPart, progressCall, settleCall, startCall } from "./reduce-call.ts";
import { reduceDraft } from "./reduce-draft.ts";
import { append, itemAt } from "../lists/chunked-list.ts";
import { spend, tokensOf } from "./spending.ts";
import type { TranscriptItem } from "../transcript/transcript-item.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** Applies an event to the agent whose log contains it. Returns the same agent if nothing visible changed. */
export function reduceAgent(agent: AgentView, envelope: Envelope): AgentView {
  const { event, seq, at } = envelope;
  if (isTeamEvent(event)) return agent;
  switch (event.type) {
    case "session.opened":
      return { ...agent, cwd: agent.cwd || event.cwd };
    case "agent.spawned": {
      const { path, agentType, parent, description, model, permissionMode, cwd } = event;
      return { ...agent, path, agentType, parent, description, model, permissionMode, cwd };
    }
    case "agent.changed": {
      const { model = agent.model, permissionMode = agent.permissionMode, cwd = agent.cwd } = event;
      return { ...agent, model, permissionMode, cwd };
    }
    case "agent.idle":
      return becomeIdle(agent, envelope, event);
    case "agent.summarized":
      return event.scope === "progress"
        ? { ...agent, progress: { text: event.text, at } }
        : addNotice({ ...agent, summary: { text: event.text, at } }, { kind: "summary", text: event.text, seq, at });
    case "agent.stopped": {
      const { outcome, detail } = event;
      const stopped: AgentView = {
        ...idleStatus(agent),
        status: { kind: "stopped", outcome, ...(detail && { detail }) },
      };
      return addNotice(stopped, { kind: "stopped", outcome, detail, seq, at });
    }
    case "prompt.admitted": {
      const { promptId, source, insteadOf } = event;
      const parts = partsForPeople(event.parts);
      const before = agent.waitingPrompts.filter((waiting) => waiting.promptId !== insteadOf);
      return { ...agent, waitingPrompts: [...before, { kind: "prompt", promptId, source, parts, seq, at }] };
    }
    case "prompt.promoted": {
      const prompt = agent.waitingPrompts.find((waiting) => waiting.promptId === event.promptId);
      if (!prompt) return agent;
      const waitingPrompts = agent.waitingPrompts.filter((waiting) => waiting !== prompt);
      return addNotice({ ...begun(agent, at), waitingPrompts }, { ...prompt, seq, at });
    }
    case "turn.started":
      return { ...begun(agent, at), model: event.model, draft: newDraft(event.turn) };
    case "turn.ended":
      return answer(agent, envelope, event);
    case "turn.failed": {
      const failed: AgentView = { ...agent, draft: undefined };
      // The following `agent.idle` reports the abort.
      if (event.failure.kind === "aborted") return failed;
      return addNotice(failed, { kind: "failure", turn: event.turn, failure: event.failure, seq, at });
    }
    case "cost.recorded": {
      const { model, usage, costUsd, purpose } = event;
      const cost = { requests: 1, costUsd, lostUsd: purpose === "lost" ? costUsd : 0, usage };
      const lastCost = purpose === "answer" ? { usage, costUsd } : agent.lastCost;
      return { ...agent, spending: spend(agent.spending, model, cost), lastCost };
    }
    case "context.compacted": {
      const { trigger, summary, tokensBefore } = event;
      return addNotice(
        { ...agent, contextTokens: undefined },
        { kind: "compaction", trigger, summary, tokensBefore, seq, at },
      );
    }
    case "agent.rewound": {
      const waitingPrompts = agent.waitingPrompts.filter(({ source }) => source === "mail");
      const rewound = event.to === undefined ? agent : { ...agent, contextTokens: undefined, waitingPrompts };
      return addNotice(rewound, { kind: "notice", level: "info", code: "rewound", message: event.text, seq, at });
    }
    case "tool.called":
      return { ...startCall(agent, envelope, event), toolCalls: agent.toolCalls + 1 };
    case "tool.progress":
      return progressCall(agent, event);
    case "tool.settled":
      return settleCall(agent, event);
    case "permission.asked": {
      if (event.member) return agent;
      const openQuestions = [...agent.openQuestions, event.requestId];
      return { ...agent, openQuestions, status: { kind: "waiting", requestId: openQuestions[0] ?? event.requestId } };
    }
    case "permission.settled": {
      const openQuestions = agent.openQuestions.filter((requestId) => requestId !== event.requestId);
      if (openQuestions.length === agent.openQuestions.length) return agent;
      const [requestId] = openQuestions;
      return { ...agent, openQuestions, status: requestId ? { kind: "waiting", requestId } : { kind: "running" } };
    }
    case "notice.raised": {
      const { level, code, message } = event;
      return addNotice(agent, { kind: "notice", level, code, message, seq, at });
    }
    case "thinking.delta":
    case "text.delta":
    case "tool.drafted":
    case "turn.waiting":
    case "turn.retried":
      // A delta that arrives after its turn has ended has no effect.
      return agent.draft?.turn === event.turn ? { ...agent, draft: reduceDraft(agent.draft, event) } : agent;
    case "session.closed":
    case "context.composed":
    case "context.inherited":
    case "background.started":
    case "background.output":
    case "background.ended":
    case "mcp.changed":
    case "command.settled":
    case "hook.ran":
    case "session.named":
    case "team.joined":
    case "team.left":
    case "member.changed":
    case "task.changed":
      return agent;
  }
}

/** Ends everything the agent was doing, because its process has ended. */
export function abandonTurn(agent: AgentView): AgentView {
  if (agent.status.kind === "idle" || agent.status.kind === "stopped") return agent;
  return { ...idleStatus(agent), status: { kind: "idle", reason: "interrupted" } };
}

function becomeIdle(agent: AgentView, { seq, at }: Envelope, { reason, detail }: Of<"agent.idle">): AgentView {
  const idleItem: AgentView = { ...idleStatus(agent), status: { kind: "idle", reason, ...(detail && { detail }) } };
  const shownText = itemAt(agent.transcript, agent.transcript.length - 1)?.kind === "failure";
  if (reason === "completed") return agent.work ? addNotice(idleItem, { ...doneItem(agent, at), seq, at }) : idleItem;
  if (reason === "failed" && shownText) return idleItem;
  return addNotice(idleItem, { kind: "idle", reason, detail, seq, at });
}

const idleStatus = (agent: AgentView): AgentView => ({
  ...agent,
  work: undefined,
  draft: undefined,
  openQuestions: [],
});

function begun(agent: AgentView, at: string): AgentView {
  const { costUsd } = agent.spending.total;
  const work = agent.work ?? { since: at, tokensBefore: tokensOf(agent.spending.total), costBefore: costUsd };
  return { ...agent, work, status: { kind: "running" } };
}

const doneItem = ({ work, spending: { total } }: AgentView, at: string) => ({
  kind: "done" as const,
  durationMs: Math.max(0, Date.parse(at) - Date.parse(work?.since ?? at)),
  tokens: tokensOf(total) - (work?.tokensBefore ?? 0),
  costUsd: total.costUsd - (work?.costBefore ?? 0),
});

function answer(agent: AgentView, { seq, at }: Envelope, event: Of<"turn.ended">): AgentView {
  const { turn, parts, contextTokens, durationMs } = event;
  const cost = agent.lastCost && { answer: { ...agent.lastCost, durationMs } };
  let { transcript, lastWords } = agent;
  const openCalls = new Map(agent.openCalls);
  for (const part of parts) {
    switch (part.type) {
      case "text":
        if (part.text.trim() === "") break;
        lastWords = part.text.trimStart().slice(0, previewed);
        transcript = append<TranscriptItem>(transcript, { kind: "text", turn, text: part.text, seq, at });
        break;
      case "thinking": {
        const redacted = part.redacted !== undefined;
        transcript = append<TranscriptItem>(transcript, { kind: "thinking", turn, text: part.text, redacted, seq, at });
        break;
      }
      case "tool_call":
        openCalls.set(part.callId, transcript.length);
        transcript = append<TranscriptItem>(transcript, { ...callPart(part, turn), ...cost, seq, at });
        break;
    }
  }
  return {
    ...agent,
    transcript,
    openCalls,
    lastWords,
    draft: undefined,
    turns: agent.turns + 1,
    contextTokens,
    lastCost: undefined,
  };
}

/** Maximum length of a preview in a row of the widest window. */
const previewed = 300;

const addNotice = (agent: AgentView, item: TranscriptItem): AgentView => ({
  ...agent,
  transcript: append(agent.transcript, item),
});
