const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text so that it cannot open or close a tag. */
export const escapeMarkup = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? "");

/**
 * For text outside all tags: it cannot open or close one. The other characters of a path or a sentence stay unchanged.
 */
export const escapeTags = (text: string): string => text.replaceAll("<", "&lt;");

const senders =
  /<(?=\/?\s*(?:teammate-message|task-notification|task|hook-context|hook-feedback|plan-mode|still-there|conversation-summary|fork-instructions)\b)/gi;

/** For code, in which `<` has its own meaning: escapes only tags by which the runtime names a sender. */
export const escapeSenders = (text: string): string => text.replaceAll(senders, "&lt;");
