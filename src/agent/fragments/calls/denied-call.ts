/** The result of a call that the rules or the mode forbid. */
export const deniedByPolicy = (reason: string): string =>
  `Not allowed: ${reason.replace(/\.$/, "")}. Do not try to get the same effect by another way; go on without it, or say what you need and stop.`;

/** The result of a call that the lead of a team has turned down. */
export const deniedByLead = (message: string | undefined): string =>
  message
    ? `The lead of your team has turned this down and says: ${message}`
    : "The lead of your team has turned this down. Do not repeat it; ask what it would rather have, or go on without it.";

/** The result of a call that a person has refused. */
export const deniedByUser = (message: string | undefined): string =>
  message
    ? `The user refused this call and says: ${message}`
    : "The user refused this call. Do not repeat it; ask what they would rather have, or go on without it.";

/** The result of a call that would have needed a person where there is none. */
export const deniedUnattended = (tool: string, question: string): string =>
  `Not allowed: ${question} This needs a permission, and nobody is there to give it. Go on without it. (The user can allow it beforehand: --allowedTools ${tool}, a rule in the settings, or another --permission-mode.)`;

/** Goes with the result of a call that a person has allowed and said something to. */
export const allowedWithNote = (note: string): string => `The user allowed this call and says: ${note}`;
