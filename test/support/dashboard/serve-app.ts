import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { LandingReport, MailId, MailListing, SessionId, WorktreeListing } from "../../../src/protocol/index.ts";
import { TroupeError } from "../../../src/protocol/index.ts";
import { startWebServer, type WebServer, type WebServerOptions } from "../../../src/web-server/index.ts";
import { type MemorySessionDirectory, memorySessionDirectory } from "./memory-session-directory.ts";

/** When the test that runs has ended; what came last is done first. */
export const onEnd = (clean: () => unknown): void => onTestFinished(async () => void (await clean()));

export interface Served {
  readonly server: WebServer;
  readonly sessionDirectory: MemorySessionDirectory;
  readonly port: number;
  readonly token: string;
  readonly cookie: string;
  readonly landed: { readonly session: SessionId; readonly branches: readonly string[] }[];
  /** What the person at the terminal was told. */
  readonly problems: string[];
}

/** A server with a small page, sessions in memory and worktrees that are said to be there. */
export async function serve(
  options: Partial<WebServerOptions> & { sessionDirectory?: MemorySessionDirectory } = {},
): Promise<Served> {
  const sessionDirectory = options.sessionDirectory ?? memorySessionDirectory();
  const landed: { session: SessionId; branches: readonly string[] }[] = [];
  const problems: string[] = [];
  const server = await startWebServer({
    worktrees: {
      list: () => Promise.resolve([worktree]),
      diff: (_session, name) =>
        name === worktree.name
          ? Promise.resolve("+a line\n")
          : Promise.reject(new TroupeError("git", `there is no worktree ${JSON.stringify(name)} here`)),
      land(session, branches) {
        landed.push({ session, branches });
        return Promise.resolve(report);
      },
    },
    mail: {
      list: (_session, { since = "" }) =>
        Promise.resolve({ mail: [letter].filter(({ mail }) => mail.timestamp >= since), problems: [] }),
      text: (_session, id) =>
        id === letter.mail.id
          ? Promise.resolve("all of it")
          : Promise.reject(new TroupeError("mail", `there is no mail ${id} here`)),
    },
    assets: pageFolder(),
    onProblem: (message) => problems.push(message),
    ...options,
    sessionDirectory,
  });
  onEnd(() => server.close());
  const token = new URL(server.address).searchParams.get("token") ?? "";
  const cookie = `troupe_${server.port}=${token}`;
  return { server, sessionDirectory, port: server.port, token, cookie, landed, problems };
}

const letter: MailListing = {
  team: "t",
  mail: {
    id: "mail_00000000" as MailId,
    from: "a",
    to: "b",
    timestamp: "2026-01-02T00:00:00.000Z",
    wakes: true,
    body: { kind: "text", text: "all" },
  },
  state: "read",
  sender: "verified",
  isCut: true,
};

const worktree: WorktreeListing = {
  name: "one",
  path: "/project.troupe/one",
  branch: "troupe/agent-one",
  state: "kept",
  commits: 1,
  files: [{ path: "a.txt", added: 1, removed: 0 }],
  reasons: [],
};

const report: LandingReport = {
  target: "refs/heads/main",
  landed: [{ branch: "troupe/agent-one", commits: 1, resolved: false }],
  refused: [],
  notices: [],
};

export const script = `console.log(${JSON.stringify("a page ".repeat(400))});\n`;

export function pageFolder(): string {
  const root = mkdtempSync(join(tmpdir(), "troupe-page-"));
  onEnd(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "web");
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), '<!doctype html><script src="/assets/app-abc.js"></script>\n');
  writeFileSync(join(folder, "assets", "app-abc.js"), script);
  writeFileSync(join(root, "secret.txt"), "not for the page\n");
  return folder;
}

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  header(name: string): string | undefined;
}

export interface RawRequest {
  readonly method?: string;
  readonly target?: string;
  /** `undefined` leaves it out; without a `host` the right one is sent. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string;
  readonly version?: string;
  readonly at?: string;
}

/** Bytes on a connection, without a client that would correct them. */
export async function ask(port: number, request: RawRequest = {}): Promise<RawAnswer> {
  const { method = "GET", target = "/", headers = {}, body = "", version = "1.1" } = request;
  const all = {
    host: `127.0.0.1:${port}`,
    connection: "close",
    ...(body && { "content-length": `${body.length}` }),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => `${name}: ${one}`),
  );
  return answerTo(port, `${method} ${target} HTTP/${version}\r\n${lines.join("\r\n")}\r\n\r\n${body}`, request.at);
}

export async function answerTo(port: number, bytes: string | Buffer, host = "127.0.0.1"): Promise<RawAnswer> {
  const socket = await dial(port, host);
  socket.write(bytes);
  return parseAnswer(await untilClosed(socket));
}

export function dial(port: number, host = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host });
  onEnd(() => socket.destroy());
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

/** All that came until the other side ended it; that it was cut off is no failure here. */
export function untilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
}

function parseAnswer(text: string): RawAnswer {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim();
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: rest.join("\r\n\r\n"), header };
}
