import { Box, Static, Text, useStdin } from "ink";
import { type ReactNode, useEffect, useSyncExternalStore } from "react";
import {
  type AppNotice,
  type AppState,
  isWithoutPrompt,
  teamTree,
  visibleText,
  waitingQuestion,
} from "../view/index.ts";
import { type Frontend, FrontendContext, useAppState, useFrontend, useKeys, useSize } from "./app-context.ts";
import { AppKeys } from "./app-keys.tsx";
import { waitingLine } from "./dialogs/asker-line.ts";
import { Dialogs } from "./dialogs/dialogs.tsx";
import type { FrontendFacts } from "./frontend-facts.ts";
import type { KeyHandler } from "./terminal/input-keys.ts";
import {
  hasRoomForNotices,
  isShortScreen,
  layoutLive,
  marginFor,
  noticeLineCount as below,
} from "./panels/live-layout.ts";
import { Prompt, promptHeight } from "./prompt/prompt.tsx";
import type { PromptController } from "./prompt/prompt-controller.ts";
import { Spinner } from "./panels/spinner.tsx";
import { StatusLine, type StatusProps } from "./panels/status-line.tsx";
import { taskHeight, TaskPanel } from "./panels/task-panel.tsx";
import { TeammateTree, treeHeight } from "./panels/teammate-tree.tsx";
import { type Line, paintLine, paintLines } from "./terminal/terminal-lines.ts";
import { type History, viewedOf } from "./transcript/transcript-history.ts";
import { LiveTranscript } from "./transcript/live-transcript.tsx";
import { TranscriptPager } from "./transcript/transcript-pager.tsx";
import { levelStyle, type Marks, markOf } from "./theme.ts";
import { marked } from "./transcript/transcript-text.ts";
import { Welcome } from "./panels/welcome.tsx";

export interface AppProps extends StatusProps {
  readonly frontend: Frontend;
  readonly facts: FrontendFacts;
  readonly history: History;
  readonly prompt: PromptController;
  /** Keys of the UI itself. They are handled first. */
  readonly onKey: KeyHandler;
}

/** The whole screen: the printed history above, the redrawn part below. */
export function App({ frontend, ...props }: AppProps): ReactNode {
  return (
    <FrontendContext.Provider value={frontend}>
      <RawMode />
      <ScreenKeys onKey={props.onKey} />
      <AppKeys />
      <PromptKeys prompt={props.prompt} />
      <Pager />
      <Printed history={props.history} />
      <LiveRegion {...props} />
    </FrontendContext.Provider>
  );
}

function LiveRegion({ facts, history, prompt, contextWindow, home }: Omit<AppProps, "frontend">): ReactNode {
  const size = useSize();
  const { rows } = size;
  const { theme, now } = useFrontend();
  const dialog = useAppState(({ dialog }) => dialog.kind);
  const state = useAppState((each) => each);
  const viewed = viewedOf(state);
  const isViewing = state.viewing !== undefined;
  const written = useSyncExternalStore(prompt.store.subscribe, prompt.store.getState);
  const status = <StatusLine contextWindow={contextWindow} home={home} />;
  // A dialog uses the full screen: together with notices it could be too high.
  const noticesFor = (most: number, high: number) =>
    noticeLines(state, { marks: theme.marks, width: size.columns - 1, most, high });
  if (dialog !== "none" && dialog !== "transcript") {
    const lastNotice = hasRoomForNotices(rows) ? noticesFor(1, below) : [];
    return (
      <Box flexDirection="column" marginTop={marginFor(rows)}>
        <Dialogs facts={facts} />
        {lastNotice.length > 0 && <Text>{paintLines(lastNotice, theme)}</Text>}
        {isShortScreen(rows) ? null : status}
      </Box>
    );
  }
  const isNew = viewed !== undefined && isWithoutPrompt(viewed.list);
  const isWorking = viewed?.agent?.status.kind === "running" || viewed?.agent?.status.kind === "waiting";
  const notices = noticesFor(3, 4);
  const waiting = waitingQuestion(state);
  const fixed = promptHeight(written, size) + 1 + (isWorking ? 1 : 0) + (waiting ? 1 : 0);
  const layout = layoutLive({
    rows,
    fixed,
    completion: written.completion?.items.length ?? 0,
    notices: notices.length,
    tree: treeHeight(teamTree(state, now()), state),
    tasks: taskHeight(state),
  });
  const used = fixed + layout.completion + layout.notices + layout.tree + layout.tasks + marginFor(rows);
  return (
    <Box flexDirection="column">
      {isViewing && !viewed && <Text dimColor>reading the transcript …</Text>}
      {viewed?.agent && <LiveTranscript viewed={viewed} history={history} height={rows - 1 - used} />}
      {isNew && !isViewing && <Welcome facts={facts} home={home} room={rows - 1 - used} />}
      <Box flexDirection="column" marginTop={marginFor(rows)}>
        <Spinner agent={viewed?.agent} />
        <TeammateTree room={layout.tree} />
        <TaskPanel room={layout.tasks} />
        {layout.notices > 0 && <Text>{paintLines(notices.slice(-layout.notices), theme)}</Text>}
        {waiting && <Text>{paintLine(waitingLine(state, waiting, size.columns - 1), theme)}</Text>}
        <Prompt
          prompt={prompt}
          to={isViewing && viewed ? viewed : undefined}
          isActive
          placeholder={isNew ? "Describe a task · @ files · / commands · ? keys" : "@ files · / commands · ? keys"}
          maxCompletions={layout.completion}
        />
        {status}
      </Box>
    </Box>
  );
}

/** Output that is printed once and stays. */
function Printed({ history }: { readonly history: History }): ReactNode {
  const { frames } = useFrontend();
  const blocks = useSyncExternalStore(frames.subscribe, history.getBlocks);
  useEffect(() => history.drawn(blocks.length), [history, blocks]);
  return <Static items={[...blocks]}>{({ key, text }) => <Text key={key}>{text}</Text>}</Static>;
}

interface NoticeLook {
  readonly marks: Marks;
  readonly width: number;
  readonly most: number;
  readonly high: number;
}

/** Returns the latest notices, each cut to `high` lines. Dialogs reserve two lines in total. */
function noticeLines({ notices }: AppState, { marks, width, most, high }: NoticeLook): readonly Line[] {
  return notices
    .slice(-most)
    .flatMap(({ level, text }: AppNotice) =>
      marked(`${markOf(level, marks)} `, visibleText(text), { width, style: levelStyle(level) }).slice(0, high),
    );
}

/** Ink reads the keys and keeps the terminal from echoing them. Troupe decides what they do. */
function RawMode(): ReactNode {
  const { setRawMode, isRawModeSupported } = useStdin();
  useEffect(() => {
    if (!isRawModeSupported) return undefined;
    setRawMode(true);
    return () => setRawMode(false);
  }, [setRawMode, isRawModeSupported]);
  return null;
}

/** Uses the alternate screen, so the normal screen stays unchanged. */
function Pager(): ReactNode {
  const dialog = useAppState(({ dialog }) => dialog);
  return dialog.kind === "transcript" ? <TranscriptPager by={-dialog.back} /> : null;
}

function ScreenKeys({ onKey }: { readonly onKey: KeyHandler }): ReactNode {
  useKeys(onKey);
  return null;
}

function PromptKeys({ prompt }: { readonly prompt: PromptController }): ReactNode {
  const { store } = useFrontend();
  // Read the state when the key arrives, not when it was drawn: a dialog may have opened since.
  useKeys((key) => store.getState().dialog.kind === "none" && prompt.key(key));
  return null;
}
