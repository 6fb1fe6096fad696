import { type Instance, render } from "ink";
import { createElement } from "react";
import { type Ack, type Command, messageOf } from "../protocol/index.ts";
import type { Session } from "../session/index.ts";
import { openDialog, type Self, withPromptUse } from "../view/index.ts";
import { App } from "./app.tsx";
import type { Frontend } from "./app-context.ts";
import { type Actions, createActions } from "./app-actions.ts";
import { type AppStore, createAppStore } from "./app-store.ts";
import { createFrames } from "./app-frames.ts";
import type { FrontendFacts } from "./frontend-facts.ts";
import { type FollowOptions, followSession } from "./follow-session.ts";
import { createKeyReader } from "./terminal/input-keys.ts";
import type { Preferences } from "./preferences.ts";
import { createPrompt, type PromptController, type PromptHistory } from "./prompt/prompt-controller.ts";
import { promptWidth } from "./prompt/prompt.tsx";
import { slashListings } from "./slash-commands.ts";
import { leaveAlternateScreen } from "./terminal/alternate-screen.ts";
import { createNotifications, type Notify } from "./terminal/notifications.ts";
import { createScreen, settleMs } from "./terminal/screen.ts";
import { createTerminalModes } from "./terminal/terminal-modes.ts";
import { createTheme } from "./theme.ts";
import { createHistory } from "./transcript/transcript-history.ts";

export interface TuiOptions {
  readonly session: Session;
  readonly facts: FrontendFacts;
  readonly preferences: Preferences;
  readonly promptHistory: PromptHistory;
  /** Finds project files whose path contains the query, best first, a limited number. */
  readonly findFiles: (query: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Returns the context window of a model in tokens, if known. */
  readonly contextWindow: (model: string) => number | undefined;
  /** The appearance from the settings. The environment takes precedence. */
  readonly look?:
    | {
        readonly theme?: "dark" | "light" | undefined;
        readonly screenReader?: boolean | undefined;
        readonly notify?: Notify | undefined;
      }
    | undefined;
  /** Yields the events of a member's session in another process. */
  readonly followMember?: FollowOptions["followMember"];
  /** The dialog at the start, and a prompt that is sent after the question about trust. */
  readonly start?:
    | { readonly opens?: "trust" | "resume" | undefined; readonly prompt?: string | undefined }
    | undefined;
  /** The member that this process runs, if it was started as one. */
  readonly self?: Self | undefined;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the program must end. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/**
 * Shows a session in a terminal until the user leaves or the session closes. Does not close the session. Returns the
 * exit code.
 */
export async function runTui(options: TuiOptions): Promise<number> {
  const { session, facts, stdin, stdout, env, now } = options;
  const theme = createTheme({ env, ...options.look });
  const modes = createTerminalModes({ stdin, stdout, env });
  const keys = createKeyReader();
  const leaving = new AbortController();
  const closed = AbortSignal.any([options.signal, leaving.signal]);

  const { store, problem, hint } = createAppStore(options);
  const following = followSession({ session, store, now, followMember: options.followMember, signal: closed });
  following.catch(() => undefined); // the code that awaits it below receives the error

  const {
    size,
    output,
    alternateScreen,
    stop: stopScreen,
  } = createScreen({
    stdout,
    isScreenReader: theme.isScreenReader,
    redraw() {
      history.reprint(store.getState());
      frames.redraw();
    },
  });
  const notify = createNotifications({ notify: options.look?.notify ?? "all", write: (text) => stdout.write(text) });
  const stopNotifying = store.subscribe(() => notify(store.getState()));
  const history = createHistory({ theme, size: size.getState });
  const frames = createFrames({ store, before: (state) => history.sync(state) });
  const frontend: Frontend = {
    store,
    frames,
    keys,
    theme,
    size,
    now,
    alternateScreen,
    leave: () => leaving.abort(),
    typeInPrompt: (key) => prompt.key(key),
    writePrompt: (text) => prompt.write(text),
    send: (command) => sendCommand(session, command, problem),
  };
  const actions = createActions({ frontend, facts, history, frames, suspend: () => suspend(), hint, problem });
  const prompt = openPrompt(options, { store, problem, hint }, { actions, size });

  let ink: Instance | undefined;
  const mount = () => {
    modes.on();
    output.begin();
    // Before the prompt is visible: otherwise the terminal would echo early input and send another key for Enter.
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
        ...inkOptions,
        stdin,
        stdout: theme.isScreenReader ? stdout : output.stream,
        isScreenReaderEnabled: theme.isScreenReader,
      },
    );
    ink.waitUntilExit().catch((error: unknown) => leaving.abort(error));
  };
  /** Removes the redrawn part from the screen. Printed output stays. */
  const unmount = () => {
    alternateScreen.close();
    ink?.rerender(null);
    ink?.unmount();
    ink = undefined;
    modes.off();
    history.forgetBlocks();
  };

  const suspend = () => {
    unmount();
    stdout.write("Troupe and its agents are suspended; `fg` resumes them.\n");
    // Signal the whole group, as the terminal does, so that the parent process stops too.
    process.kill(0, "SIGTSTP");
    // Timers do not run while the process is suspended. This one fires after the resume, or at once if suspending is
    // not possible.
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
    sendFirstPrompt(options.start?.prompt, { store, isLeaving: () => leaving.signal.aborted, submit: actions.submit });
    await Promise.race([following, aborted(closed)]);
    if (leaving.signal.reason instanceof Error && leaving.signal.reason.name !== "AbortError")
      throw leaving.signal.reason;
    return 0;
  } finally {
    leaving.abort();
    stopNotifying();
    frames.flush();
    unmount();
    frames.stop();
    stopScreen();
    keys.reset();
    stdin.off("data", onData);
    process.off("exit", restore).off("uncaughtExceptionMonitor", restore);
  }
}

/** Creates the prompt. While it has text, questions wait. */
function openPrompt(
  { facts, findFiles, promptHistory, now }: TuiOptions,
  { store, problem, hint }: AppStore,
  { actions, size }: { readonly actions: Actions; readonly size: Frontend["size"] },
): PromptController {
  const prompt = createPrompt({
    submit: actions.submit,
    interrupt: actions.interrupt,
    rewind: () => store.setState((state) => openDialog(state, { kind: "rewind" })),
    help: () => store.setState((state) => openDialog(state, { kind: "help" })),
    hint,
    problem,
    slashCommands: () => slashListings(facts),
    findFiles,
    history: promptHistory,
    width: () => promptWidth(size.getState().columns),
    now,
  });
  prompt.store.subscribe(() => store.setState((state) => withPromptUse(state, prompt.store.getState().buffer.text)));
  return prompt;
}

/** Sends the prompt of the command line. It waits for the answer about trust, which may open the session again. */
function sendFirstPrompt(
  prompt: string | undefined,
  {
    store,
    isLeaving,
    submit,
  }: Pick<Frontend, "store"> & Pick<Actions, "submit"> & { readonly isLeaving: () => boolean },
): void {
  if (prompt === undefined) return;
  if (store.getState().dialog.kind !== "trust") return submit(prompt);
  const stop = store.subscribe(() => {
    if (store.getState().dialog.kind === "trust" || isLeaving()) return;
    stop();
    submit(prompt);
  });
}

const inkOptions = {
  exitOnCtrlC: false,
  patchConsole: false,
  // Events are drawn thirty times a second by `createFrames`; typed text must not wait for that.
  maxFps: 125,
};

/** Sends a command. Shows a refusal or a failure as a problem. */
async function sendCommand(session: Session, command: Command, problem: (text: string) => void): Promise<Ack> {
  try {
    const ack = await session.dispatch(command);
    if (!ack.ok) problem(ack.message);
    return ack;
  } catch (error) {
    const message = messageOf(error);
    problem(message);
    return { ok: false, code: "failed", message };
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
