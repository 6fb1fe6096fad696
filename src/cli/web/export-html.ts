import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import {
  type Envelope,
  type SessionId,
  SessionId as SessionIdShape,
  type SessionListing,
  TroupeError,
  visibleLine,
} from "../../protocol/index.ts";
import { openSessionDirectory } from "../../session/index.ts";
import { collectSideData, type SideData } from "./export-side-data.ts";
import { dashboardFolder } from "./dashboard-folder.ts";

/** Returns a session and its team's members as one HTML page that needs no server and no network. */
export async function exportSessionHtml(id: string, { home }: { readonly home: string }): Promise<string> {
  const wanted = SessionIdShape.safeParse(id);
  if (!wanted.success)
    throw new TroupeError(
      "session_not_found",
      `there is no session ${id}. Run 'troupe sessions list --all' to see all sessions.`,
    );
  const folder = join(dashboardFolder(), "../web-export");
  const [script, style] = await Promise.all(["export.js", "export.css"].map((name) => builtFile(folder, name)));
  const data = await collectSession(wanted.data, home);
  const packed = (await promisify(gzip)(JSON.stringify(data))).toString("base64");
  return page({ title: titleOf(data), packed, script: inline(script ?? ""), style: style ?? "" });
}

interface CollectedSession extends SideData {
  readonly session: SessionId;
  readonly sessions: readonly SessionListing[];
  readonly envelopes: readonly Envelope[];
}

async function collectSession(session: SessionId, home: string): Promise<CollectedSession> {
  const sessionDirectory = openSessionDirectory({ home });
  const ending = new AbortController();
  try {
    const lead = await stored(session);
    const members = lead.flatMap(({ event }) =>
      (event.type === "member.joined" || event.type === "member.changed") && event.sessionId ? [event.sessionId] : [],
    );
    const others = [...new Set(members)].filter((id) => id !== session);
    const memberSessions = await Promise.all(others.map((id) => stored(id).catch(throwUnlessMissing)));
    const [list = []] = await firstOf(sessionDirectory.sessions(ending.signal));
    const ids = new Set([session, ...others]);
    const sessions = list.filter(({ id }) => ids.has(id)).map((listing) => ({ ...listing, state: "stored" as const }));
    const sideData = await collectSideData(sessionDirectory, session);
    return { session, sessions, envelopes: [...lead, ...memberSessions.flat()], ...sideData };
  } finally {
    ending.abort();
    await sessionDirectory.close();
  }

  async function stored(id: SessionId): Promise<Envelope[]> {
    const observed = await sessionDirectory.open(id);
    const own = new AbortController();
    const envelopes: Envelope[] = [];
    try {
      for await (const item of observed.events({ signal: own.signal })) {
        if (item.kind === "envelopes") for (const envelope of item.envelopes) envelopes.push(envelope);
        if (item.kind === "caught-up") break;
      }
      return envelopes;
    } finally {
      own.abort();
      await observed.close();
    }
  }
}

/** A member that never started has no session. */
function throwUnlessMissing(error: unknown): Envelope[] {
  if (TroupeError.is(error) && error.code === "session_not_found") return [];
  throw error;
}

async function firstOf<T>(all: AsyncIterable<T>): Promise<T[]> {
  for await (const one of all) return [one];
  return [];
}

async function builtFile(folder: string, name: string): Promise<string> {
  try {
    return await readFile(join(folder, name), "utf8");
  } catch (error) {
    throw new TroupeError(
      "usage",
      `cannot export: the page is missing: ${join(folder, name)}. Build it with 'npm run build'.`,
      { cause: error },
    );
  }
}

function titleOf({ session, sessions }: CollectedSession): string {
  const { firstPrompt, team } = sessions.find(({ id }) => id === session) ?? {};
  return visibleLine([team, firstPrompt].filter(Boolean).join(": ") || session).slice(0, 120);
}

/** Escapes everything that could end the script element. */
const inline = (script: string) =>
  script.replaceAll(/<\/(script)/gi, String.raw`<\/$1`).replaceAll("<!--", String.raw`<\!--`);

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

interface Page {
  readonly title: string;
  readonly packed: string;
  readonly script: string;
  readonly style: string;
}

/** The policy allows only this script and style, and no network access. */
function page({ title, packed, script, style }: Page): string {
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Troupe</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript>This file shows a Troupe session and needs JavaScript.</noscript>
<script type="application/octet-stream" id="session">${packed}</script>
<script type="module">${script}</script>
</body>
</html>\n`;
}
