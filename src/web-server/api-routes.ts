import type { Hono } from "hono";
import * as z from "zod";
import { AgentId, Cursor, MailId, parseJson, PostedCommand, PostedLanding, SessionId } from "../protocol/index.ts";
import type { AppOptions } from "./app-options.ts";
import { type ApiContext, type ApiEnv, toErrorResponse, errorResponse } from "./error-response.ts";
import { readBody } from "./read-body.ts";

const After = z.record(SessionId, Cursor);
const Since = z.iso.datetime();
const WorktreeName = z.string().min(1).max(400);

/** Adds the API routes: envelopes and answers out, commands in, as in every frontend. */
export function addApiRoutes(app: Hono<ApiEnv>, { sessionDirectory, worktrees, mail, streams }: AppOptions): void {
  get(app, "/api/events", (c) => {
    const session = SessionId.optional().safeParse(c.req.query("session"));
    const after = After.safeParse(parseJson(c.req.query("after") ?? "{}"));
    if (!session.success) return invalidInput(c, "session", session.error);
    if (!after.success) return invalidInput(c, "after", after.error);
    const cut = () => void c.env.outgoing?.destroy();
    const body = streams.open({ session: session.data, after: after.data }, cut);
    if (body === undefined) return errorResponse(c, 429, tooMany, { "retry-after": "5" });
    // The transfer encoding makes the server stream the body instead of buffering it to compute its length.
    return c.body(body, 200, { "content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked" });
  });
  get(app, "/api/transcript", (c) => {
    const session = SessionId.safeParse(c.req.query("session"));
    const agent = AgentId.optional().safeParse(c.req.query("agent"));
    if (!session.success) return invalidInput(c, "session", session.error);
    if (!agent.success) return invalidInput(c, "agent", agent.error);
    return withSession(session.data, async (observed) => c.json(await observed.transcript({ agent: agent.data })));
  });
  get(app, "/api/worktrees", async (c) => {
    const session = SessionId.safeParse(c.req.query("session"));
    if (!session.success) return invalidInput(c, "session", session.error);
    return c.json(await worktrees.list(session.data));
  });
  get(app, "/api/diff", async (c) => {
    const session = SessionId.safeParse(c.req.query("session"));
    const name = WorktreeName.safeParse(c.req.query("worktree"));
    if (!session.success) return invalidInput(c, "session", session.error);
    if (!name.success) return invalidInput(c, "worktree", name.error);
    return c.json({ diff: await worktrees.diff(session.data, name.data) });
  });
  get(app, "/api/mail", async (c) => {
    const session = SessionId.safeParse(c.req.query("session"));
    const since = Since.optional().safeParse(c.req.query("since"));
    if (!session.success) return invalidInput(c, "session", session.error);
    if (!since.success) return invalidInput(c, "since", since.error);
    return c.json(await mail.list(session.data, { since: since.data }));
  });
  get(app, "/api/mail-text", async (c) => {
    const session = SessionId.safeParse(c.req.query("session"));
    const id = MailId.safeParse(c.req.query("mail"));
    if (!session.success) return invalidInput(c, "session", session.error);
    if (!id.success) return invalidInput(c, "mail", id.error);
    return c.json({ text: await mail.text(session.data, id.data) });
  });
  post(app, "/api/command", PostedCommand, (c, { session, command }) =>
    withSession(session, async (observed) => c.json(await observed.dispatch(command))),
  );
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
