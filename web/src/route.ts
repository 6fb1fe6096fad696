import { AgentId, SessionId } from "../../src/protocol/index.ts";

export const viewNames = [
  "team",
  "timeline",
  "transcript",
  "tasks",
  "mail",
  "approvals",
  "cost",
  "worktrees",
  "replay",
] as const;
export type ViewName = (typeof viewNames)[number];

/** The place in the page: the list of sessions, or one view of a session. */
export type Route =
  | { readonly kind: "home" }
  | {
      readonly kind: "session";
      readonly session: SessionId;
      readonly view: ViewName;
      readonly agent: AgentId | undefined;
      /** The event to scroll to: its id, or its number in the agent's log. */
      readonly at: string | undefined;
    }
  | { readonly kind: "unknown"; readonly hash: string };

/** Parses `#/s/SESSION/VIEW/AGENT?at=EVENT`; anything else is `unknown`. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length === 0) return { kind: "home" };
  const [letter, id, name = "team", agentId, ...more] = parts;
  const session = SessionId.safeParse(id);
  const agent = AgentId.optional().safeParse(agentId);
  const view = viewNames.find((known) => known === name);
  if (letter !== "s" || !session.success || !agent.success || !view || more.length > 0)
    return { kind: "unknown", hash };
  const at = new URLSearchParams(query).get("at") ?? undefined;
  return { kind: "session", session: session.data, view, agent: agent.data, at };
}

/** Returns the address of a view, for `href`. */
export function hrefOf(session: SessionId, view: ViewName, to: { agent?: AgentId; at?: string | number } = {}): string {
  const agent = to.agent === undefined ? "" : `/${to.agent}`;
  const at = to.at === undefined ? "" : `?at=${encodeURIComponent(to.at)}`;
  return `#/s/${session}/${view}${agent}${at}`;
}
