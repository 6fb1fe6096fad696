/** The result of a call that the rules or the mode forbid. */
export const deniedByPolicy = (reason: string): string =>
  `Not allowed: ${reason.replace(/\.$/, "")}. Do not try to get the same effect another way. Continue without it, or say what you need and stop.`;

/** The result of a call that the lead of a team refused. */
export const deniedByLead = (message: string | undefined): string =>
  message
    ? `The lead of your team refused this call and says: ${message}`
    : "The lead of your team refused this call. Do not repeat it. Ask what the lead wants instead, or continue without it.";

/** The result of a call that the user refused. */
export const deniedByUser = (message: string | undefined): string =>
  message
    ? `The user refused this call and says: ${message}`
    : "The user refused this call. Do not repeat it. Ask what they want instead, or continue without it.";

/** The result of a call that needs approval when no user is available. */
export const deniedUnattended = (tool: string, question: string): string =>
  `Not allowed: ${question} This call needs approval and no user is available. Continue without it. (The user can allow it in advance: --allowedTools ${tool}, a rule in the settings, or another --permission-mode.)`;

/** Added to the result of a call that the user allowed with a comment. */
export const allowedWithNote = (note: string): string => `The user allowed this call and says: ${note}`;
