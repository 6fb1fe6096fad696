export { createToken, isTokenShaped } from "./admission.ts";
export type { MailApi } from "./mail-desk.ts";
export { startWebServer, type WebServer, type WebServerOptions } from "./start-web-server.ts";
export type { WorktreeApi } from "./worktree-desk.ts";
