import { AgentId, SessionId } from "../../src/protocol/index.ts";

export const viewNames = [
  "summary",
  "team",
  "timeline",
  "transcript",
  "tasks",
  "mail",
  "approvals",
  "cost",
  "worktrees",
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
      /** True if the views show a moment of the past. */
      readonly isReplay: boolean;
    }
  | { readonly kind: "unknown"; readonly hash: string };

/**
 * Parses `#/s/SESSION/VIEW/AGENT?at=EVENT&replay`; anything else is `unknown`. A view named `replay` is the replay of the
 * team.
 */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length === 0) return { kind: "home" };
  const [letter, id, named = "team", agentId, ...more] = parts;
  const name = named === "replay" ? "team" : named;
  const session = SessionId.safeParse(id);
  const agent = AgentId.optional().safeParse(agentId);
  const view = viewNames.find((known) => known === name);
  if (letter !== "s" || !session.success || !agent.success || !view || more.length > 0)
    return { kind: "unknown", hash };
  const search = new URLSearchParams(query);
  const isReplay = named === "replay" || search.has("replay");
  return {
    kind: "session",
    session: session.data,
    view,
    agent: agent.data,
    at: search.get("at") ?? undefined,
    isReplay,
  };
}

interface Target {
  readonly agent?: AgentId | undefined;
  readonly at?: string | number | undefined;
  readonly isReplay?: boolean;
}

/** Returns the address of a view, for `href`. */
export function hrefOf(session: SessionId, view: ViewName, { agent, at, isReplay = false }: Target = {}): string {
  const query = [...(at === undefined ? [] : [`at=${encodeURIComponent(at)}`]), ...(isReplay ? ["replay"] : [])];
  return `#/s/${session}/${view}${agent === undefined ? "" : `/${agent}`}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

/** The same place of the session in its replay; undefined for any other address. */
export function replayHref(href: string, session: SessionId): string | undefined {
  const route = parseRoute(href);
  if (route.kind !== "session" || route.session !== session) return undefined;
  return hrefOf(session, route.view, { ...route, isReplay: true });
}
