export { serveAcp } from "./serve-acp.ts";
