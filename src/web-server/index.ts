export { createToken, isTokenShaped } from "./token-auth.ts";
export type { MailApi } from "./mail-api.ts";
export { startWebServer, type WebServer, type WebServerOptions } from "./start-web-server.ts";
export type { WorktreeApi } from "./worktree-api.ts";
