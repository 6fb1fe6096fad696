import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { addApiRoutes } from "./api-routes.ts";
import { serveAsset } from "./answer-asset.ts";
import type { AppOptions } from "./app-options.ts";
import { type RequestHead, checkRequest } from "./request-guard.ts";
import { entryPage, unauthorizedPage } from "./entry-pages.ts";
import { type ApiEnv, errorResponse } from "./error-response.ts";
import { securityHeaders } from "./security-headers.ts";

/**
 * Creates the app. The order of the checks is the protection: first the request itself, then the token or cookie, then
 * the route.
 */
export function createApp(options: AppOptions): Hono<ApiEnv> {
  const { port, tokenAuth: admission, assets } = options;
  const app = new Hono<ApiEnv>();

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(securityHeaders)) if (!c.res.headers.has(name)) c.header(name, value);
  });
  app.use(async (c, next) => {
    const refusal = checkRequest(headOf(c.req.raw, c.env.incoming), port);
    if (refusal === undefined) return next();
    // Does not wait for the rest of the request.
    return errorResponse(c, refusal.status, refusal, { connection: "close" });
  });
  app.get("/", async (c, next) => {
    const token = c.req.query("token");
    if (token === undefined) return next();
    if (!admission.isToken(token)) return c.html(unauthorizedPage, 401);
    const isLed = !["none", "same-origin", undefined].includes(c.req.header("sec-fetch-site"));
    c.header("set-cookie", admission.cookie);
    // A redirect after a link on another site would be sent without the strict cookie, so an own page redirects.
    return isLed ? c.html(entryPage) : c.redirect("/", 303);
  });
  app.use(async (c, next) => {
    if (!admission.isAuthenticated(c.req.header("cookie"))) {
      if (!c.req.path.startsWith("/api/")) return c.html(unauthorizedPage, 401);
      const message = "not authorized. Open the URL that 'troupe web' printed, with its token, in this browser.";
      return errorResponse(c, 401, { code: "not_admitted", message }, { connection: "close" });
    }
    options.onAuthenticated(c.env);
    return next();
  });

  addApiRoutes(app, options);
  app.all("/api/*", (c) => errorResponse(c, 404, { code: "not_found", message: "not found" }));
  app.get("*", (c) => serveAsset(c, assets));
  app.all("*", (c) =>
    errorResponse(c, 405, { code: "method", message: "only GET is allowed for this URL" }, { allow: "GET" }),
  );
  app.onError((error, c) => {
    options.onFailure(error);
    return errorResponse(c, 500, {
      code: "bug",
      message: "internal error, a bug in Troupe. See the terminal for details.",
    });
  });
  return app;
}

/** Reads the headers from the connection if there is one, because repeated headers are still separate there. */
function headOf(request: Request, incoming: HttpBindings["incoming"] | undefined): RequestHead {
  if (incoming === undefined) {
    const url = new URL(request.url);
    return {
      method: request.method,
      target: url.pathname + url.search,
      headers: (name) =>
        [request.headers.get(name) ?? (name === "host" ? url.host : undefined)].flatMap((it) => it ?? []),
    };
  }
  const { rawHeaders } = incoming;
  return {
    method: incoming.method ?? "",
    target: incoming.url ?? "",
    headers: (name) => rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name),
  };
}
