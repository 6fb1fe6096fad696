import { stripVTControlCharacters } from "node:util";
import { render } from "ink-testing-library";
import type { ReactNode } from "react";
import { expect, vi } from "vitest";
import { screenModel } from "../../../bench/screen-model.mjs";
import type { Command, Envelope, SessionId } from "../../../src/protocol/index.ts";
import { type Frontend, FrontendContext, type Size } from "../../../src/tui/app-context.ts";
import type { FrontendFacts, NextSession } from "../../../src/tui/frontend-facts.ts";
import { createKeyReader } from "../../../src/tui/terminal/input-keys.ts";
import { createAlternateScreen } from "../../../src/tui/terminal/alternate-screen.ts";
import { createTheme } from "../../../src/tui/theme.ts";
import { type AppState, createAppState, createStore, applyEnvelope } from "../../../src/view/index.ts";

export interface Drawn {
  readonly store: Frontend["store"];
  /** Sent commands, in order. */
  readonly sent: readonly Command[];
  /** The text of the second screen while it is shown. */
  readonly second: () => string | undefined;
  readonly left: () => number;
  /** The text that dialogs gave to the prompt. */
  readonly typed: () => string;
  readonly next: () => NextSession | undefined;
  readonly facts: FrontendFacts;
  /** The text of the screen without colours. */
  frame(): string;
  /** The same with colours. */
  raw(): string;
  press(...keys: string[]): void;
  hear(...envelopes: Envelope[]): void;
  resize(size: Size): void;
  /** Waits until the text is on the screen. */
  see(text: string | RegExp): Promise<string>;
  end(): void;
}

export interface DrawOptions {
  readonly envelopes?: readonly Envelope[];
  readonly size?: Size;
  readonly env?: Record<string, string>;
  readonly now?: () => number;
  readonly state?: (state: AppState) => AppState;
}

/** Draws a part of the screen inside a frontend that only records what it is asked for. */
export function drawPanel(part: (facts: FrontendFacts) => ReactNode, options: DrawOptions = {}): Drawn {
  const { envelopes = [], env = { NO_COLOR: "1" }, now = () => startOfTests } = options;
  const first = envelopes.reduce(applyEnvelope, createAppState({ now: now() }));
  const store = createStore(options.state?.(first) ?? first);
  const size = createStore<Size>(options.size ?? { columns: 80, rows: 40 });
  const keys = createKeyReader({ escapeMs: 1 });
  const sent: Command[] = [];
  let left = 0;
  let typed = "";
  let next: NextSession | undefined;
  const beside = screenModel(size.getState());
  const second = createAlternateScreen({
    write: beside.write,
    size: size.getState,
    onOpen: () => undefined,
    onClose: () => undefined,
  });
  const face: Frontend = {
    store,
    frames: store,
    keys,
    theme: createTheme({ env }),
    size,
    now,
    alternateScreen: second,
    send: (command) => {
      sent.push(command);
      return Promise.resolve({ ok: true });
    },
    leave: () => void left++,
    typeInPrompt: ({ text }) => void (typed += text),
    writePrompt: (text) => void (typed += text),
  };
  const facts: FrontendFacts = { ...sampleFacts, setNext: (wanted) => void (next = wanted) };
  const screen = render(<FrontendContext.Provider value={face}>{part(facts)}</FrontendContext.Provider>);
  const raw = () => screen.lastFrame() ?? "";
  const frame = () => stripVTControlCharacters(raw());
  return {
    store,
    sent,
    facts,
    frame,
    raw,
    second: () => (beside.isOther() ? beside.screen() : undefined),
    left: () => left,
    typed: () => typed,
    next: () => next,
    press: (...pressed) => pressed.forEach((key) => keys.push(key)),
    hear: (...heard) => heard.forEach((envelope) => store.setState((state) => applyEnvelope(state, envelope))),
    resize: (to) => size.setState(() => to),
    see: (text) =>
      vi.waitFor(
        () => {
          if (typeof text === "string") expect(frame()).toContain(text);
          else expect(frame()).toMatch(text);
          return frame();
        },
        { timeout: 60_000, interval: 10 },
      ),
    end: () => screen.unmount(),
  };
}

export const startOfTests = Date.UTC(2026, 0, 1, 0, 0, 20);

export const key = {
  enter: "\r",
  escape: "\x1b",
  up: "\x1b[A",
  down: "\x1b[B",
  shiftUp: "\x1b[1;2A",
  shiftDown: "\x1b[1;2B",
  pageUp: "\x1b[5~",
  pageDown: "\x1b[6~",
  ctrlB: "\x02",
  ctrlC: "\x03",
  tab: "\t",
  ctrlT: "\x14",
} as const;

const sampleFacts: Omit<FrontendFacts, "setNext"> = {
  slashCommands: () => [{ name: "git:commit", description: "write a commit", argumentHint: "[words]", source: "a.md" }],
  effort: () => "medium",
  agentTypes: () => Promise.resolve([{ title: "reviewer", detail: "reads changes" }]),
  rules: () => Promise.resolve([{ title: "allow Bash(git status)", detail: "~/.troupe/settings.json" }]),
  hooks: () => Promise.reject(new Error("settings.json is not valid: fix it first")),
  models: () => Promise.resolve([{ title: "sonnet" }, { title: "haiku" }]),
  rewindPoints: () =>
    Promise.resolve([
      {
        id: "prm_1",
        kind: "prompt",
        at: "2026-01-01T10:00:00.000Z",
        text: "add a parser",
        prompt: "add a parser",
        seq: 3,
        isLeft: false,
      },
      {
        id: "prm_2",
        kind: "prompt",
        at: "2026-01-01T10:05:00.000Z",
        text: "rename it",
        prompt: "rename it",
        seq: 9,
        isLeft: true,
      },
      {
        id: "evt_1",
        kind: "rewind",
        at: "2026-01-01T10:06:00.000Z",
        text: "Back to the moment before the prompt “rename it”: 2 files.",
        seq: 20,
        isLeft: false,
      },
    ]),
  diff: async () => "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n",
  sessions: () =>
    Promise.resolve([
      {
        sessionId: "ses_earlier1" as SessionId,
        updatedAt: "2026-01-01T10:00:00.000Z",
        cwd: "/work/project",
        folder: "~/project",
        firstPrompt: "fix the\nparser",
      },
    ]),
};
