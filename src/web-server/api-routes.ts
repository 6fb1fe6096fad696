import type { Hono } from "hono";
import * as z from "zod";
import { AgentId, Cursor, MailId, parseJson, PostedCommand, PostedLanding, SessionId } from "../protocol/index.ts";
import type { AppOptions } from "./app-options.ts";
import { type ApiContext, type ApiEnv, toErrorResponse, errorResponse } from "./error-response.ts";
import { readBody } from "./read-body.ts";

const After = z.record(SessionId, Cursor);
const StreamName = z.string().regex(/^[\w-]{1,64}$/);
const PostedUnfollow = z.object({ stream: StreamName, channel: StreamName });
const PostedFollow = PostedUnfollow.extend({
  session: SessionId.optional(),
  after: After.default({}),
  summaries: z.boolean().default(false),
});
const Since = z.iso.datetime();
const WorktreeName = z.string().min(1).max(400);

/** Adds the API routes: envelopes and answers out, commands in, as in every frontend. */
export function addApiRoutes(app: Hono<ApiEnv>, { sessionDirectory, worktrees, mail, streams }: AppOptions): void {
  get(app, "/api/events", (c) => {
    const session = SessionId.optional().safeParse(c.req.query("session"));
    const after = After.safeParse(parseJson(c.req.query("after") ?? "{}"));
    if (!session.success) return invalidInput(c, "session", session.error);
    if (!after.success) return invalidInput(c, "after", after.error);
    const shared = StreamName.optional().safeParse(c.req.query("shared"));
    if (!shared.success) return invalidInput(c, "shared", shared.error);
    const withSummaries = c.req.query("summaries") === "true";
    const cut = () => void c.env.outgoing?.destroy();
    const body =
      shared.data === undefined
        ? streams.open({ session: session.data, after: after.data, withSummaries }, cut)
        : streams.openShared(shared.data, cut);
    if (body === undefined) return errorResponse(c, 429, tooMany, { "retry-after": "5" });
    // The transfer encoding makes the server stream the body instead of buffering it to compute its length.
    return c.body(body, 200, { "content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked" });
  });
  get(app, "/api/transcript", (c) =>
    withQuery(c, { session: SessionId, agent: AgentId.optional() }, ({ session, agent }) =>
      withSession(session, async (observed) => c.json(await observed.transcript({ agent }))),
    ),
  );
  get(app, "/api/worktrees", (c) =>
    withQuery(c, { session: SessionId }, async ({ session }) => c.json(await worktrees.list(session))),
  );
  get(app, "/api/diff", (c) =>
    withQuery(c, { session: SessionId, worktree: WorktreeName }, async ({ session, worktree }) =>
      c.json({ diff: await worktrees.diff(session, worktree) }),
    ),
  );
  get(app, "/api/mail", (c) =>
    withQuery(c, { session: SessionId, since: Since.optional() }, async ({ session, since }) =>
      c.json(await mail.list(session, { since })),
    ),
  );
  get(app, "/api/mail-text", (c) =>
    withQuery(c, { session: SessionId, mail: MailId }, async ({ session, mail: id }) =>
      c.json({ text: await mail.text(session, id) }),
    ),
  );
  post(app, "/api/command", PostedCommand, (c, { session, command }) =>
    withSession(session, async (observed) => c.json(await observed.dispatch(command))),
  );
  post(app, "/api/follow", PostedFollow, async (c, { stream, channel, session, after, summaries }) => {
    const result = streams.follow({ stream, channel }, { session, after, withSummaries: summaries });
    if (result === "too many") return errorResponse(c, 429, tooMany, { "retry-after": "5" });
    return result === "followed" ? c.json({ ok: true }) : errorResponse(c, 404, noSuchStream);
  });
  post(app, "/api/unfollow", PostedUnfollow, async (c, at) => {
    streams.unfollow(at);
    return c.json({ ok: true });
  });
  post(app, "/api/land", PostedLanding, async (c, { session, branches }) =>
    c.json(await worktrees.land(session, branches)),
  );

  async function withSession(id: SessionId, act: (observed: Observed) => Promise<Response>): Promise<Response> {
    const observed = await sessionDirectory.open(id);
    try {
      return await act(observed);
    } finally {
      await observed.close();
    }
  }
}

type Observed = Awaited<ReturnType<AppOptions["sessionDirectory"]["open"]>>;

/** Handles only GET: HEAD would do all the work for nothing, and a stream would never end. */
function get(app: Hono<ApiEnv>, path: string, answer: (c: ApiContext) => Response | Promise<Response>): void {
  app.on("GET", path, (c) =>
    c.req.raw.method === "GET" ? toErrorResponse(c, async () => answer(c)) : wrongMethod(c, "GET"),
  );
  app.all(path, (c) => wrongMethod(c, "GET"));
}

/** Answers with the parameters of the query, or names the first invalid one. */
function withQuery<S extends Record<string, z.ZodType>>(
  c: ApiContext,
  schemas: S,
  answer: (values: { readonly [K in keyof S]: z.output<S[K]> }) => Promise<Response>,
): Response | Promise<Response> {
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const value = schema.safeParse(c.req.query(name));
    if (!value.success) return invalidInput(c, name, value.error);
    values[name] = value.data;
  }
  return answer(values as { readonly [K in keyof S]: z.output<S[K]> });
}

function post<T>(
  app: Hono<ApiEnv>,
  path: string,
  ...[schema, answer]: [z.ZodType<T>, (c: ApiContext, posted: T) => Promise<Response>]
): void {
  app.post(path, async (c) => {
    const body = await readBody(c.req.raw);
    if (!body.ok) return errorResponse(c, body.refusal.status, body.refusal, { connection: "close" });
    const posted = schema.safeParse(parseJson(body.text));
    if (!posted.success) return invalidInput(c, "the content", posted.error);
    return toErrorResponse(c, () => answer(c, posted.data));
  });
  app.all(path, (c) => wrongMethod(c, "POST"));
}

function invalidInput(c: ApiContext, what: string, error: z.ZodError): Response {
  const [issue] = error.issues;
  const where = issue === undefined || issue.path.length === 0 ? what : z.core.toDotPath(issue.path);
  return errorResponse(c, 400, { code: "usage", message: `${where}: ${issue?.message ?? "cannot be parsed"}` });
}

const wrongMethod = (c: ApiContext, allow: string) =>
  errorResponse(c, 405, { code: "method", message: `use ${allow} for this URL` }, { allow });

const tooMany = { code: "too_many", message: "too many open pages. Close some, or try again later." };

const noSuchStream = { code: "not_found", message: "there is no such stream. Open it again with GET /api/events." };
