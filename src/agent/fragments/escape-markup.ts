const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** For the value of an attribute between double quotes. */
export const escapeMarkup = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? "");

/** Escapes every `<`. For short text outside all tags, such as a name. */
export const escapeTags = (text: string): string => text.replaceAll("<", "&lt;");

/** The tags by which the runtime names a sender or a source. */
const senders = [
  "teammate-message",
  "troupe-notice",
  "task-notification",
  "task",
  "hook-context",
  "hook-feedback",
  "plan-mode",
  "still-there",
  "conversation-summary",
  "earlier-messages",
  "fork-instructions",
  "flagged-report",
  "instructions",
  "memory",
  "skill",
  "mcp-server",
  "system",
];

/** The parts of a `<task-notification>`. */
const notificationParts = [
  "task-id",
  "agent-id",
  "name",
  "status",
  "exit-code",
  "summary",
  "prompt",
  "reason",
  "warning",
  "output",
  "output-file",
  "evidence",
  "worktree",
];

const tagPattern = (names: readonly string[]) => new RegExp(`<(?=\\s*/?\\s*(?:${names.join("|")})(?![\\w-]))`, "gi");
const senderTags = tagPattern(senders);
const notificationTags = tagPattern([...senders, ...notificationParts]);

/**
 * For text of others, which often is code: nothing in it opens or closes a tag of the runtime, and everything else
 * stays as it is.
 */
export const escapeSenders = (text: string): string => text.replaceAll(senderTags, "&lt;");

/** The same for text inside a part of a `<task-notification>`. */
export const escapeNotificationPart = (text: string): string => text.replaceAll(notificationTags, "&lt;");

/** True for text that the runtime added to a message, which is not the sender's own. */
export const isRuntimeText = (text: string): boolean =>
  /^<(?:troupe-notice|task-notification|hook-context|hook-feedback|plan-mode|conversation-summary)\b/.test(text);
