import { type SessionId, type SessionListing, visibleLine, type WorkItem } from "../../../../src/protocol/index.ts";
import type { IconName } from "../../parts/icon.tsx";
import { stateLabels } from "../../parts/agent-name.tsx";
import { hrefOf, viewNames } from "../../route.ts";
import type { RosterEntry } from "../../state/roster.ts";
import { sessionName, sessionTitle } from "../session-name.ts";
import { viewTitles } from "../tabs.tsx";

/** Something to go to, or to do. */
export interface PaletteItem {
  readonly id: string;
  readonly group: "View" | "Agent" | "Task" | "Session" | "Action";
  readonly icon: IconName;
  readonly text: string;
  readonly detail: string;
  /** The address to open, or what to do. */
  readonly target: string | (() => void);
}

interface Sources {
  readonly session: SessionId | undefined;
  readonly sessions: readonly SessionListing[];
  readonly roster: readonly RosterEntry[];
  readonly tasks: readonly WorkItem[];
}

/** Everything that the palette finds, nearest first: this session, then all others. */
export function paletteItems({ session, sessions, roster, tasks }: Sources): readonly PaletteItem[] {
  const views = session === undefined ? [] : viewNames;
  return [
    ...views.map(
      (view): PaletteItem => ({
        id: `view ${view}`,
        group: "View",
        icon: view,
        text: viewTitles[view],
        detail: "",
        target: hrefOf(session as SessionId, view),
      }),
    ),
    ...roster.flatMap(({ key, name, state, agent }): PaletteItem[] =>
      session === undefined || !agent
        ? []
        : [
            {
              id: `agent ${key}`,
              group: "Agent",
              icon: "transcript",
              text: visibleLine(name),
              detail: stateLabels[state],
              target: hrefOf(session, "transcript", { agent: agent.id }),
            },
          ],
    ),
    ...tasks.flatMap(({ id, subject, owner = "", status }): PaletteItem[] =>
      session === undefined || status === "deleted"
        ? []
        : [
            {
              id: `task ${id}`,
              group: "Task",
              icon: "tasks",
              text: `#${id} ${visibleLine(subject)}`,
              detail: visibleLine(owner),
              target: hrefOf(session, "tasks", { at: String(id) }),
            },
          ],
    ),
    ...sessions.map(
      (listing): PaletteItem => ({
        id: listing.id,
        group: "Session",
        icon: "logo",
        text: sessionTitle(listing),
        detail: sessionName(listing),
        target: hrefOf(listing.id, listing.role === "lead" ? "team" : "transcript"),
      }),
    ),
  ];
}

/** Maximum number of shown items. */
const maxShown = 50;

/** The items that contain all words, those that begin with the first word before the others. */
export function findItems(items: readonly PaletteItem[], wanted: string): readonly PaletteItem[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ""] = words;
  const found = items.filter(({ text, detail, group }) => {
    const all = `${text} ${detail} ${group}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const rank = ({ text }: PaletteItem) => (text.toLowerCase().startsWith(first) ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b)).slice(0, maxShown);
}
