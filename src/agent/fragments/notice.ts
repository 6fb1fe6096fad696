import { escapeSenders } from "./escape-markup.ts";

/** A message of the runtime to a model. The system prompt names the tag, so that it is never taken for the user. */
export const troupeNotice = (text: string): string => `<troupe-notice>\n${escapeSenders(text)}\n</troupe-notice>`;
