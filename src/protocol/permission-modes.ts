/** By themselves, for the command line: it has to be read before anything as large as zod is loaded. */
export const permissionModes = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "bubble"] as const;
