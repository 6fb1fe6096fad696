import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type CreateSessionOptions, createSession, type Envelope, type LibrarySession } from "../../../src/index.ts";
import type { Usage } from "../../../src/protocol/index.ts";
import {
  type Answer,
  type AnswerFunction,
  type Ask,
  type ModelServer,
  type RecordedRequest,
  startModelServer,
} from "../../../src/testing.ts";

export const freshFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-fork-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** The instructions of a fork begin with this. It lets a server recognize a fork's request. */
export const mark = "<fork-instructions>";

export const isForks = (ask: Ask): boolean =>
  ask.request.messages.some(
    ({ role, parts }) => role === "user" && parts.some((part) => part.type === "text" && part.text.includes(mark)),
  );

/** Starts `count` agents at once. */
export const spawning = (count: number, input: (index: number) => object = () => ({})): Answer => ({
  text: "I hand it out.",
  calls: Array.from({ length: count }, (_, index) => ({
    tool: "Agent",
    input: { description: `part ${index}`, prompt: `Look after part ${index} of ${count}.`, ...input(index) },
  })),
});

export interface ForkSession {
  readonly server: ModelServer;
  readonly session: LibrarySession;
  /** Closes the session and returns all its events. */
  end(): Promise<readonly Envelope[]>;
  /** Resolves with the first envelope that matches. */
  happened(what: (envelope: Envelope) => boolean): Promise<Envelope>;
  readonly cwd: string;
  readonly home: string;
}

interface ForkOptions {
  /** The user's settings. */
  readonly settings?: object;
  readonly home?: string;
}

/** A session on the loopback server, over HTTP, with forks enabled. */
export async function forkSession(
  answer: AnswerFunction,
  { settings, home = freshFolder(), ...options }: CreateSessionOptions & ForkOptions = {},
): Promise<ForkSession> {
  const cwd = options.cwd ?? freshFolder();
  if (settings) {
    mkdirSync(join(home, ".troupe"), { recursive: true });
    writeFileSync(join(home, ".troupe", "settings.json"), JSON.stringify(settings));
  }
  const server = await startModelServer({ script: answer });
  onTestFinished(() => server.close());
  const session = await createSession({
    model: "anthropic/claude-sonnet-5-5",
    forks: true,
    permissionMode: "bypassPermissions",
    env: environment(home, server),
    ...options,
    cwd,
  });
  onTestFinished(() => session.close());
  const envelopes: Envelope[] = [];
  const following = follow(session, envelopes);
  return {
    server,
    session,
    cwd,
    home,
    async end() {
      await session.close();
      await following;
      return envelopes;
    },
    async happened(what) {
      for await (const envelope of session.events({ replay: true })) if (what(envelope)) return envelope;
      throw new Error("the session ended before");
    },
  };
}

async function follow(session: LibrarySession, envelopes: Envelope[]): Promise<void> {
  for await (const envelope of session.events({ replay: true })) envelopes.push(envelope);
}

export const environment = (home: string, server: ModelServer) => ({
  TROUPE_SANDBOX: "off",
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  TROUPE_HOME: join(home, ".troupe"),
  ANTHROPIC_API_KEY: "none",
  ANTHROPIC_BASE_URL: server.anthropicBaseUrl,
});

const cacheMark = ',"cache_control":{"type":"ephemeral"}';

/** A body without the marks that tell the provider which prefix to cache. */
export const unmarked = ({ rawBody }: RecordedRequest): string => rawBody.toString("utf8").replaceAll(cacheMark, "");

/** The offset of a fork's own instructions in a body. */
export const ownWordsAt = (body: string): number => body.lastIndexOf(`{"type":"text","text":"${mark}`);

/** First requests of forks: they end with the fork's instructions. */
export const firstOfForks = (requests: readonly RecordedRequest[]): RecordedRequest[] =>
  requests.filter((request) => {
    const { messages } = request.body as { messages: { role: string; content: { type: string; text?: string }[] }[] };
    return messages.at(-1)?.content.at(-1)?.text?.startsWith(mark);
  });

/** Usage of the requests of agents below the lead, in the order of their answers. */
export function usageOfChildren(envelopes: readonly Envelope[]): Usage[] {
  const children = new Set(
    envelopes.flatMap(({ agent, event }) => (event.type === "agent.spawned" && event.parent ? [agent] : [])),
  );
  return envelopes.flatMap(({ agent, event }) =>
    event.type === "cost.recorded" && children.has(agent) ? [event.usage] : [],
  );
}
