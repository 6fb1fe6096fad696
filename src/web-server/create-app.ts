import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { addApiRoutes } from "./api-routes.ts";
import { serveAsset } from "./answer-asset.ts";
import type { AppOptions } from "./app-options.ts";
import { type RequestHead, checkRequest } from "./request-guard.ts";
import { entryPage, unauthorizedPage } from "./entry-pages.ts";
import { type ApiEnv, errorResponse } from "./error-response.ts";
import { securityHeaders } from "./security-headers.ts";

/** What is answered to whom. The order is the protection: who asks, from where, with which right, and only then what. */
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
    // The rest of what it sends is not waited for.
    return errorResponse(c, refusal.status, refusal, { connection: "close" });
  });
  app.get("/", async (c, next) => {
    const token = c.req.query("token");
    if (token === undefined) return next();
    if (!admission.isToken(token)) return c.html(unauthorizedPage, 401);
    const isLed = !["none", "same-origin", undefined].includes(c.req.header("sec-fetch-site"));
    c.header("set-cookie", admission.cookie);
    // Who was led here by another page would be led on in its name, without the cookie: our own page leads on.
    return isLed ? c.html(entryPage) : c.redirect("/", 303);
  });
  app.use(async (c, next) => {
    if (!admission.isAuthenticated(c.req.header("cookie"))) {
      if (!c.req.path.startsWith("/api/")) return c.html(unauthorizedPage, 401);
      const message = "open the address that 'troupe web' printed, with its token, in this browser";
      return errorResponse(c, 401, { code: "not_admitted", message }, { connection: "close" });
    }
    options.onAuthenticated(c.env);
    return next();
  });

  addApiRoutes(app, options);
  app.all("/api/*", (c) =>
    errorResponse(c, 404, { code: "not_found", message: "there is nothing under this address" }),
  );
  app.get("*", (c) => serveAsset(c, assets));
  app.all("*", (c) =>
    errorResponse(c, 405, { code: "method", message: "this can only be looked at" }, { allow: "GET" }),
  );
  app.onError((error, c) => {
    options.onFailure(error);
    return errorResponse(c, 500, { code: "bug", message: "this is a bug in troupe; the terminal says more" });
  });
  return app;
}

/** From the connection itself where there is one: a header that came twice is still two there. */
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
