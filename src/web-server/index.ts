export { createToken, isTokenShaped } from "./admission.ts";
export type { MailDesk } from "./mail-desk.ts";
export { startWebServer, type WebServer, type WebServerOptions } from "./start-web-server.ts";
export type { WorktreeDesk } from "./worktree-desk.ts";
