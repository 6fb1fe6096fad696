import { escapeTags } from "../escape-markup.ts";

/** In front of a teammate's report, when so many of it wait that the oldest are kept in a file. */
export const archivedReportsNote = ({ member, path }: { readonly member: string; readonly path: string }): string =>
  `[Earlier reports of ${escapeTags(member)} that you have not heard are in ${path}, the oldest first.]`;
