import type { CreateId } from "../../platform/index.ts";
import { type AgentId, type Envelope, type EventId, type LiveEvent, protocolVersion } from "../../protocol/index.ts";
import { itemAt, itemsOf, leadOf, type SessionView } from "../../view/index.ts";

/** The fields of an envelope for an event that is not stored. */
export interface LiveStamp {
  readonly session: Envelope["session"];
  readonly agent: AgentId;
  readonly seq: number;
  readonly at: string;
  readonly createId: CreateId;
}

export const liveEnvelope = (event: LiveEvent, { createId, ...stamp }: LiveStamp): Envelope => ({
  v: protocolVersion,
  id: createId<EventId>("evt"),
  ...stamp,
  event,
});

/** Returns the state of an open session that is in no log: members, tasks, MCP servers, partial text and output. */
export function liveStateOf(view: SessionView, stamp: Pick<LiveStamp, "session" | "at" | "createId">): Envelope[] {
  const lead = leadOf(view);
  if (!lead) return [];
  const envelopes: Envelope[] = [];
  const add = (event: LiveEvent, { id: agent, seq } = { id: lead.id, seq: lead.seq }) =>
    envelopes.push(liveEnvelope(event, { ...stamp, agent, seq }));
  for (const { name: team, members } of view.teams.values())
    for (const member of members) add({ type: "member.changed", team, ...member });
  for (const [team, tasks] of view.tasks)
    for (const task of tasks) add({ type: "task.changed", ...(team !== "" && { team }), task });
  for (const server of view.mcpServers) add({ type: "mcp.changed", ...server });
  for (const agent of itemsOf(view.agents)) {
    const { draft } = agent;
    if (!draft || agent.session !== stamp.session) continue;
    const { turn, thinking, text, tool } = draft;
    if (thinking !== "") add({ type: "thinking.delta", turn, text: thinking }, agent);
    if (text !== "") add({ type: "text.delta", turn, text }, agent);
    if (tool) add({ type: "tool.drafted", turn, ...tool }, agent);
  }
  for (const index of view.runningBackground.values()) {
    const { backgroundId, outputTail: text = "", agent: id } = itemAt(view.background, index) ?? {};
    if (backgroundId && id && text !== "")
      add({ type: "background.output", backgroundId, text }, { id, seq: lead.seq });
  }
  return envelopes;
}
