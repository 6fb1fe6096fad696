const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Makes text unable to open or close a tag of ours. */
export const escapeMarkup = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? "");

/** For words outside of any tag: they can open and close none. What else stands in a path or a sentence stays as it is. */
export const escapeTags = (text: string): string => text.replaceAll("<", "&lt;");

const senders =
  /<(?=\/?\s*(?:teammate-message|task-notification|task|hook-context|hook-feedback|plan-mode|still-there|conversation-summary|fork-instructions)\b)/gi;

/** For code, in which `<` has a meaning of its own: only what would pass for a tag by which the runtime says who speaks. */
export const escapeSenders = (text: string): string => text.replaceAll(senders, "&lt;");
