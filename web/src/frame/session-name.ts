import { type SessionListing, visibleLine } from "../../../src/protocol/index.ts";

/** The display name of a session: its folder, and in a team its member name. */
export function sessionName(listing: SessionListing | undefined): string {
  if (!listing) return "session";
  const folder = visibleLine(listing.cwd.split("/").filter(Boolean).at(-1) ?? listing.cwd);
  return listing.role === "teammate" && listing.member !== undefined
    ? `${visibleLine(listing.member)} in ${folder}`
    : folder;
}

export const sessionStateText = ({ state, isElsewhere }: SessionListing): string =>
  isElsewhere ? "on another machine" : stateLabels[state];

const stateLabels: Readonly<Record<SessionListing["state"], string>> = {
  stored: "closed",
  open: "open in another process",
  reachable: "live",
};
