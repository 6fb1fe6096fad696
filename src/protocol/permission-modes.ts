/** In a separate file for the command line, which must be parsed before a module as large as zod is loaded. */
export const permissionModes = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "bubble"] as const;
