export { newToken, serveHttp } from "./serve-http.ts";
export { serveStdio } from "./serve-stdio.ts";
