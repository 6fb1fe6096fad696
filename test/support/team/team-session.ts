import { mkdirSync } from "node:fs";
import { onTestFinished } from "vitest";
import { createIdFactory } from "../../../src/platform/index.ts";
import type { Command, Envelope, Event, Message } from "../../../src/protocol/index.ts";
import { type LibrarySession, type Reply, toLibrarySession } from "../../../src/session/library/library-session.ts";
import { startSession, type StartOptions } from "../../../src/session/start-session.ts";
import { createMemorySessionStore } from "../../../src/store/index.ts";
import { type Answer, type Ask, createScriptedModel, type ScriptedModel, systemClock } from "../../../src/testing.ts";
import { answerText } from "../../../src/view/index.ts";
import { tempTree, type TempTree } from "../files/temp-tree.ts";

export type Of<T extends Event["type"]> = Extract<Event, { type: T }>;
type Answering = (ask: Ask) => Answer | undefined | Promise<Answer | undefined>;

export interface TeamSession {
  readonly tree: TempTree;
  readonly cwd: string;
  readonly session: LibrarySession;
  readonly model: ScriptedModel;
  /** All events of all agents. */
  readonly envelopes: readonly Envelope[];
  /** Events of the agent with this path, or of all agents. */
  all<T extends Event["type"]>(type: T, path?: string): Of<T>[];
  /** The requests of the agent with this path. */
  asked(path: string | RegExp): Ask[];
  /** Resolves with the first envelope, past or future, that matches. */
  until(fits: (event: Event, envelope: Envelope) => boolean): Promise<Envelope>;
  /** Resolves when a turn of an agent other than the lead has begun. */
  childTurn(turn: number): Promise<Envelope>;
  /** Sends the prompt, and waits until the lead has nothing left to do and all events were seen. */
  ask(prompt: string): Promise<Pick<Reply, "text" | "reason" | "detail">>;
  /** Resolves when no job runs in the background and the lead has nothing left to do. */
  quiet(): Promise<void>;
  /** Resolves when all events so far are in `envelopes`. */
  seen(): Promise<void>;
  command(command: Command): ReturnType<LibrarySession["dispatch"]>;
  close(): Promise<void>;
}

export interface TeamOptions {
  readonly answer: Answering;
  readonly settings?: object;
  readonly files?: Parameters<typeof tempTree>[0];
  readonly tree?: TempTree;
  readonly flags?: StartOptions["flags"];
  readonly env?: Readonly<Record<string, string>>;
  readonly resume?: string;
  /** On disk, so that another session can resume it. */
  readonly stored?: boolean;
  readonly cwd?: string;
  readonly more?: Partial<StartOptions>;
}

/** A real session in which one function answers for the lead and all agents. */
export async function teamSession(options: TeamOptions): Promise<TeamSession> {
  const tree = options.tree ?? tempTree({ "home/.troupe/settings.json": options.settings ?? {}, ...options.files });
  const cwd = options.cwd ?? tree.path("project");
  mkdirSync(cwd, { recursive: true });
  const model = createScriptedModel(options.answer, { clock: systemClock, cwd });
  const createId = createIdFactory(systemClock);
  const session = toLibrarySession(
    await startSession({
      cwd,
      env: { HOME: tree.path("home"), PATH: process.env["PATH"], TROUPE_SANDBOX: "off", ...options.env },
      flags: { permissionMode: "bypassPermissions", ...options.flags },
      resume: options.resume,
      asker: "nobody",
      model,
      store: options.stored ? undefined : createMemorySessionStore({ clock: systemClock, createId }),
      ...options.more,
    }),
    { clock: systemClock, output: undefined },
  );
  const envelopes: Envelope[] = [];
  const paths = new Map<string, string>();
  const lookers = new Set<(envelope: Envelope) => void>();
  const following = (async () => {
    for await (const envelope of session.events({ replay: true })) {
      if (envelope.event.type === "agent.spawned") paths.set(envelope.agent, envelope.event.path);
      envelopes.push(envelope);
      for (const look of lookers) look(envelope);
    }
  })();
  const close = async () => {
    await session.close();
    await following;
  };
  onTestFinished(close);
  const until: TeamSession["until"] = (fits) =>
    new Promise((resolve) => {
      const found = envelopes.find((envelope) => fits(envelope.event, envelope));
      if (found) return resolve(found);
      const look = (envelope: Envelope) => {
        if (!fits(envelope.event, envelope)) return;
        lookers.delete(look);
        resolve(envelope);
      };
      lookers.add(look);
    });
  const seen = async () => {
    const id = createId<NonNullable<Command["id"]>>("cmd");
    await session.dispatch({ type: "background.stop", backgroundId: createId("bg"), id });
    await until((event) => event.type === "command.settled" && event.commandId === id);
  };
  return {
    tree,
    cwd,
    session,
    model,
    envelopes,
    close,
    until,
    async quiet() {
      const ended = () => envelopes.filter(({ event }) => event.type === "background.ended").length;
      for (;;) {
        await session.settled();
        await seen();
        if (session.backgroundRunning().length === 0) break;
        const before = ended();
        await until(() => ended() > before);
      }
      await session.settled();
      await seen();
    },
    childTurn: (turn) =>
      until(
        ({ type, ...event }, { agent: id }) =>
          type === "turn.started" && "turn" in event && event.turn === turn && paths.get(id) !== "lead",
      ),
    seen,
    async ask(prompt) {
      const from = envelopes.length;
      await session.send(prompt);
      const { reason = "completed", detail } = (await session.settled()) ?? {};
      await seen();
      const texts = envelopes.slice(from).flatMap(({ agent, event }) => {
        // The session's own agent: the lead, or a teammate that is resumed alone.
        const text = agent === envelopes[0]?.agent ? answerText(event) : undefined;
        return text === undefined ? [] : [text];
      });
      return { text: texts.at(-1) ?? "", reason, ...(detail !== undefined && { detail }) };
    },
    command: (command) => session.dispatch(command),
    all: <T extends Event["type"]>(type: T, path?: string) =>
      envelopes
        .filter(({ agent }) => path === undefined || paths.get(agent) === path)
        .map(({ event }) => event)
        .filter((event): event is Of<T> => event.type === type),
    asked: (path) =>
      model.calls
        .map(({ ask }) => ask)
        .filter(({ agent }) => (typeof path === "string" ? agent === path : path.test(agent))),
  };
}

/** A call of the Agent tool. */
export const agent = (prompt: string, more: object = {}) => ({
  tool: "Agent",
  input: { description: "do a thing", prompt, subagent_type: "general-purpose", ...more },
});

/** Answers of the lead one after another; `child` answers for all other agents. */
export function lead(
  steps: readonly (Answer | ((ask: Ask) => Answer | Promise<Answer>))[],
  child: Answering,
): Answering {
  let next = 0;
  return (ask) => {
    if (ask.agent !== "lead") return child(ask);
    const step = steps[next++] ?? { text: "nothing more to do" };
    return typeof step === "function" ? step(ask) : step;
  };
}

/** A promise and the function that resolves it. */
export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** All messages as one text. */
export const textOf = (messages: readonly Message[]): string => JSON.stringify(messages);

/** The result of the call with this number in an answer of the lead, by default the first. */
export const resultOf = (team: TeamSession, index = 1, turn = 1): { text: string; outcome: string } => {
  const settled = team.all("tool.settled", "lead").find(({ callId }) => callId === `call_lead_${turn}_${index}`);
  const text = settled?.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  return { text: text ?? "(no result)", outcome: settled?.outcome ?? "(none)" };
};
