import { type Instance, render } from "ink";
import { createElement } from "react";
import type { Session } from "../session/index.ts";
import { addNotice, createAppState, createStore, type Self } from "../view/index.ts";
import { App } from "./app.tsx";
import type { Frontend } from "./app-context.ts";
import { createActions } from "./app-actions.ts";
import { createFrames } from "./app-frames.ts";
import type { FrontendFacts } from "./frontend-facts.ts";
import { type FollowOptions, followSession } from "./follow-session.ts";
import { createKeyReader } from "./terminal/input-keys.ts";
import { isSamePreferences, type Preferences, screenPreferencesOf } from "./preferences.ts";
import { createPrompt, type PromptHistory } from "./prompt/prompt-controller.ts";
import { promptWidth } from "./prompt/prompt.tsx";
import { slashListings } from "./slash-commands.ts";
import { createAlternateScreen, leaveAlternateScreen } from "./terminal/alternate-screen.ts";
import { createIncrementalOutput } from "./terminal/terminal-output.ts";
import { createTerminalModes } from "./terminal/terminal-modes.ts";
import { watchTerminalSize } from "./terminal/terminal-size.ts";
import { createTheme } from "./theme.ts";
import { createHistory } from "./transcript/transcript-history.ts";

export interface TuiOptions {
  readonly session: Session;
  readonly facts: FrontendFacts;
  readonly preferences: Preferences;
  readonly promptHistory: PromptHistory;
  /** Files of the project whose path has the words in it, the best first and not too many. */
  readonly findFiles: (query: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** How many tokens a model can take, where that is known. */
  readonly contextWindow: (model: string) => number | undefined;
  /** What the settings say about how it looks; the environment goes first. */
  readonly look?:
    | { readonly theme?: "dark" | "light" | undefined; readonly screenReader?: boolean | undefined }
    | undefined;
  /** What happens in the session of a member that runs in another process. */
  readonly followMember?: FollowOptions["followMember"];
  /** Said at once. */
  readonly prompt?: string | undefined;
  /** Which member of a team this is, where it was started as one. */
  readonly self?: Self | undefined;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the program has to go. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** Shows a session in a terminal until the user leaves or it closes; it does not close it. Gives back the exit code. */
export async function runTui(options: TuiOptions): Promise<number> {
  const { session, facts, preferences, stdin, stdout, env, now } = options;
  const theme = createTheme({ env, ...options.look });
  const modes = createTerminalModes({ stdin, stdout, env });
  const keys = createKeyReader();
  const leaving = new AbortController();
  const closed = AbortSignal.any([options.signal, leaving.signal]);

  const problem = (text: string) =>
    store.setState((state) => addNotice(state, { level: "error", text, until: now() + noticeMs }));
  const store = createStore(
    createAppState({ session: session.view(), self: options.self, ...preferences.stored, now: now() }),
    {
      onChange({ previous, next }) {
        const [before, after] = [screenPreferencesOf(previous), screenPreferencesOf(next)];
        if (!isSamePreferences(before, after)) preferences.save(after).catch((error: Error) => problem(error.message));
      },
    },
  );
  const following = followSession({ session, store, now, followMember: options.followMember, signal: closed });
  following.catch(() => undefined); // whoever waits for it below is told
  if (preferences.problem !== undefined) problem(preferences.problem);

  const size = watchTerminalSize(stdout, () => redrawSoon());
  const history = createHistory({ theme, size: size.store.getState });
  const frames = createFrames({ store, before: (state) => history.sync(state) });
  const output = createIncrementalOutput(stdout);
  let isResized = false;
  const alternateScreen = createAlternateScreen({
    write: (text) => void stdout.write(text),
    size: size.store.getState,
    onOpen: output.hold,
    onClose() {
      output.release();
      if (isResized) redrawSoon();
    },
  });
  const frontend: Frontend = {
    store,
    frames,
    keys,
    theme,
    size: size.store,
    now,
    alternateScreen,
    leave: () => leaving.abort(),
    async send(command) {
      try {
        const ack = await session.dispatch(command);
        if (!ack.ok) problem(ack.message);
        return ack;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        problem(message);
        return { ok: false, code: "failed", message };
      }
    },
  };
  const actions = createActions({ frontend, facts, history, frames, suspend: () => suspend() });
  const prompt = createPrompt({
    submit: actions.submit,
    interrupt: actions.interrupt,
    hint: (text) => store.setState((state) => addNotice(state, { level: "info", text, until: now() + 2_000 })),
    problem,
    slashCommands: () => slashListings(facts),
    findFiles: options.findFiles,
    history: options.promptHistory,
    width: () => promptWidth(size.store.getState().columns),
    now,
  });

  let ink: Instance | undefined;
  const mount = () => {
    modes.on();
    output.begin();
    // Before the prompt is seen: what is typed at once would be drawn by the terminal, and Enter be another key.
    stdin.setRawMode(true);
    ink = render(
      createElement(App, {
        frontend,
        facts,
        history,
        prompt,
        onKey: (key) => actions.key(key, prompt),
        contextWindow: options.contextWindow,
        home: env["HOME"],
      }),
      {
        stdin,
        stdout: theme.isScreenReader ? stdout : output.stream,
        exitOnCtrlC: false,
        patchConsole: false,
        // What happens is drawn thirty times a second by our own count; what is typed does not wait for that.
        maxFps: 125,
        isScreenReaderEnabled: theme.isScreenReader,
      },
    );
    ink.waitUntilExit().catch((error: unknown) => leaving.abort(error));
  };
  /** Takes what is redrawn off the screen; what is printed stays. */
  const unmount = () => {
    alternateScreen.close();
    ink?.rerender(null);
    ink?.unmount();
    ink = undefined;
    modes.off();
    history.forgetBlocks();
  };

  let redrawing: NodeJS.Timeout | undefined;
  // Line by line: some terminals keep what is cleared at once in their scrollback.
  const clearScreen = () => {
    stdout.write(`\x1b[H${"\x1b[2K\x1b[1B".repeat(size.store.getState().rows)}\x1b[H`);
    output.cleared();
  };
  /** Lines that were broken at another width are all over the screen: it is drawn again, once the size has settled. */
  const redrawSoon = () => {
    clearTimeout(redrawing);
    isResized = alternateScreen.isOpen();
    if (theme.isScreenReader || isResized) return;
    clearScreen();
    redrawing = setTimeout(() => {
      clearScreen();
      history.reprint(store.getState());
      frames.redraw();
      output.refresh();
    }, settleMs);
  };

  const suspend = () => {
    unmount();
    stdout.write("Troupe is suspended with its agents; `fg` brings it back.\n");
    // The whole group, as the terminal itself would do: whoever has started us is stopped as well.
    process.kill(0, "SIGTSTP");
    // Time stands still while we do: this comes when we go on, or at once where nothing can be suspended.
    setTimeout(() => {
      if (closed.aborted) return;
      history.reprint(store.getState());
      mount();
    }, settleMs);
  };

  const onData = (chunk: string | Buffer) => keys.push(chunk.toString());
  const restore = () => {
    if (alternateScreen.isOpen()) stdout.write(leaveAlternateScreen);
    modes.off();
  };
  stdin.on("data", onData);
  process.on("exit", restore).on("uncaughtExceptionMonitor", restore);
  try {
    mount();
    if (options.prompt !== undefined) actions.submit(options.prompt);
    await Promise.race([following, aborted(closed)]);
    if (leaving.signal.reason instanceof Error && leaving.signal.reason.name !== "AbortError")
      throw leaving.signal.reason;
    return 0;
  } finally {
    leaving.abort();
    clearTimeout(redrawing);
    frames.flush();
    unmount();
    frames.stop();
    size.stop();
    keys.reset();
    stdin.off("data", onData);
    process.off("exit", restore).off("uncaughtExceptionMonitor", restore);
  }
}

const noticeMs = 10_000;
const settleMs = 60;

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
