import { escapeSenders } from "../escape-markup.ts";

/** Precedes a teammate's report when its older unread reports were moved to a file. */
export const archivedReportsNote = ({ member, path }: { readonly member: string; readonly path: string }): string =>
  `[Earlier reports of ${escapeSenders(member)} that you have not read are in ${path}, oldest first.]`;
