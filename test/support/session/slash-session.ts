import { onTestFinished } from "vitest";
import type { Event, PermissionAnswer } from "../../../src/protocol/index.ts";
import { createSession, type CreateSessionOptions, type LibrarySession } from "../../../src/session/index.ts";
import { createScriptedModel, type Script, systemClock } from "../../../src/testing.ts";
import { tempTree, type TempTree } from "../files/temp-tree.ts";

export interface SlashSession {
  readonly tree: TempTree;
  readonly session: LibrarySession;
  readonly model: ReturnType<typeof createScriptedModel>;
  readonly questions: string[];
  all<T extends Event["type"]>(type: T): Extract<Event, { type: T }>[];
  /** The text of the last message of the request number `index`, counted from 0. */
  said(index: number): string;
  /** The results of the last calls, as the model reads them. */
  results(): { outcome: string; text: string }[];
  close(): Promise<void>;
}

export interface SlashOptions {
  readonly files?: Parameters<typeof tempTree>[0];
  readonly steps?: Script["steps"];
  readonly tree?: TempTree;
  readonly answer?: PermissionAnswer | "nobody";
  readonly more?: Partial<CreateSessionOptions>;
}

/** A session with real files under `project` and `home`, and a scripted model. */
export async function slashSession(options: SlashOptions): Promise<SlashSession> {
  const tree = options.tree ?? tempTree(options.files);
  tree.folder("project");
  tree.folder("home");
  const questions: string[] = [];
  const { answer = "nobody" } = options;
  const model = createScriptedModel({ version: 1, steps: options.steps ?? [] }, { clock: systemClock });
  const session = await createSession({
    cwd: tree.path("project"),
    env: { HOME: tree.path("home"), PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
    model,
    onPermission:
      answer === "nobody"
        ? answer
        : (asked) => {
            questions.push(asked.question);
            return Promise.resolve(answer);
          },
    ...options.more,
  });
  const events: Event[] = [];
  const following = (async () => {
    for await (const { event } of session.events()) events.push(event);
  })();
  const close = async () => {
    await session.close();
    await following;
  };
  onTestFinished(close);
  const all = <T extends Event["type"]>(type: T) =>
    events.filter((event): event is Extract<Event, { type: T }> => event.type === type);
  return {
    tree,
    session,
    model,
    questions,
    all,
    close,
    said: (index) =>
      (model.calls[index]?.ask.request.messages.at(-1)?.parts ?? [])
        .map((part) => (part.type === "text" ? part.text : `[${part.type}]`))
        .join("\n"),
    results: () =>
      all("tool.settled").map(({ outcome, content }) => ({
        outcome,
        text: content.map((part) => (part.type === "text" ? part.text : "")).join("\n"),
      })),
  };
}

export const call = (tool: string, input: object) => ({ text: `Calling ${tool}.`, calls: [{ tool, input }] });
