import { type SessionListing, visibleLine, visibleText } from "../../../src/protocol/index.ts";

/** The display name of a session: its folder, and in a team its member name. */
export function sessionName(listing: SessionListing | undefined): string {
  if (!listing) return "session";
  const folder = visibleLine(listing.cwd.split("/").filter(Boolean).at(-1) ?? listing.cwd);
  return listing.role === "teammate" && listing.member !== undefined
    ? `${visibleLine(listing.member)} in ${folder}`
    : folder;
}

/** The title of a session: the first line of its prompt. A member's session has the name of the member. */
export function sessionTitle(listing: SessionListing | undefined): string {
  if (!listing || listing.role === "teammate") return sessionName(listing);
  const [line = ""] = visibleText(listing.firstPrompt ?? "")
    .trim()
    .split("\n", 1);
  if (line !== "") return line.length > 160 ? `${line.slice(0, 159)}…` : line;
  return listing.isElsewhere ? `${sessionName(listing)} (its text is on its own machine)` : sessionName(listing);
}

export const sessionStateText = ({ state, isElsewhere }: SessionListing): string =>
  isElsewhere ? "on another machine" : stateLabels[state];

const stateLabels: Readonly<Record<SessionListing["state"], string>> = {
  stored: "closed",
  open: "open in another process",
  reachable: "live",
};
