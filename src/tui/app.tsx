import { Box, type DOMElement, measureElement, Static, Text, useStdin } from "ink";
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { type AppNotice, visibleText } from "../view/index.ts";
import { type Face, FaceContext, useAppState, useFace, useKeys, useSize } from "./app-context.ts";
import { AppKeys } from "./app-keys.tsx";
import { Dialogs } from "./dialogs.tsx";
import type { FaceFacts } from "./face-facts.ts";
import type { KeyHandler } from "./input-keys.ts";
import { Prompt } from "./prompt.tsx";
import type { PromptController } from "./prompt-controller.ts";
import { Spinner } from "./spinner.tsx";
import { StatusLine, type StatusProps } from "./status-line.tsx";
import { TaskPanel } from "./task-panel.tsx";
import { TeammateTree } from "./teammate-tree.tsx";
import { paintLines } from "./terminal-lines.ts";
import { type History, viewedOf } from "./transcript-history.ts";
import { LiveTranscript } from "./transcript.tsx";
import { TranscriptPager } from "./transcript-pager.tsx";
import { marked } from "./transcript-text.ts";
import { Welcome } from "./welcome.tsx";

export interface AppProps extends StatusProps {
  readonly face: Face;
  readonly facts: FaceFacts;
  readonly history: History;
  readonly prompt: PromptController;
  /** Keys that are about the screen itself; they are heard first. */
  readonly onKey: KeyHandler;
}

/** The whole screen: what is history above, and below it what is redrawn. */
export function App({ face, ...props }: AppProps): ReactNode {
  return (
    <FaceContext.Provider value={face}>
      <RawMode />
      <ScreenKeys onKey={props.onKey} />
      <AppKeys />
      <PromptKeys prompt={props.prompt} />
      <Pager />
      <Printed history={props.history} />
      <LiveRegion {...props} />
    </FaceContext.Provider>
  );
}

function LiveRegion({ facts, history, prompt, contextWindow, home }: Omit<AppProps, "face">): ReactNode {
  const { rows } = useSize();
  const dialog = useAppState(({ dialog }) => dialog.kind);
  const state = useAppState((each) => each);
  const viewed = viewedOf(state);
  const isViewing = state.viewing !== undefined;
  // Its height changes with what is written.
  useSyncExternalStore(prompt.store.subscribe, prompt.store.getState);
  const below = useRef<DOMElement>(null);
  const belowHeight = useHeight(below);
  // A dialog has the screen to itself: together they could be higher than it, and Ink would redraw everything.
  if (dialog !== "none" && dialog !== "transcript") {
    return (
      <Box flexDirection="column" marginTop={1}>
        <Dialogs facts={facts} />
        <Notices most={1} lines={2} />
        <StatusLine contextWindow={contextWindow} home={home} />
      </Box>
    );
  }
  const isNew = viewed !== undefined && viewed.list.length === 0;
  return (
    <Box flexDirection="column">
      {isViewing && !viewed && <Text dimColor>reading the transcript …</Text>}
      {viewed?.agent && <LiveTranscript viewed={viewed} history={history} height={rows - belowHeight - 3} />}
      {isNew && !isViewing && <Welcome facts={facts} />}
      <Box ref={below} flexDirection="column" marginTop={1}>
        <Spinner agent={viewed?.agent} />
        <TeammateTree />
        <TaskPanel />
        <Notices most={3} lines={4} />
        <Prompt
          prompt={prompt}
          to={isViewing && viewed ? viewed : undefined}
          isActive
          placeholder={isNew ? "Say what to do; /help lists keys and commands" : ""}
        />
        <StatusLine contextWindow={contextWindow} home={home} />
      </Box>
    </Box>
  );
}

/** How high something was when it was last laid out. */
function useHeight(of: RefObject<DOMElement | null>): number {
  const [height, setHeight] = useState(leastBelow);
  useLayoutEffect(() => {
    if (of.current) setHeight(measureElement(of.current).height);
  });
  return height;
}

/** Two rules, a row between them, the status line and the spinner. */
const leastBelow = 5;

/** What is printed once and stays. */
function Printed({ history }: { readonly history: History }): ReactNode {
  const { frames } = useFace();
  const blocks = useSyncExternalStore(frames.subscribe, history.getBlocks);
  useEffect(() => history.drawn(blocks.length), [history, blocks]);
  return <Static items={[...blocks]}>{({ key, text }) => <Text key={key}>{text}</Text>}</Static>;
}

/** The last ones, each in so many lines. Dialogs count on two lines at most. */
function Notices({ most, lines: high }: { readonly most: number; readonly lines: number }): ReactNode {
  const { theme } = useFace();
  const { columns } = useSize();
  const notices = useAppState(({ notices }) => notices);
  if (notices.length === 0) return null;
  const lines = notices.slice(-most).flatMap(({ level, text }: AppNotice) =>
    marked(`${theme.marks.notice} `, visibleText(text), {
      width: columns - 1,
      style: level === "info" ? { dim: true } : { role: level },
    }).slice(0, high),
  );
  return <Text>{paintLines(lines, theme)}</Text>;
}

/** Ink reads the keys and keeps the terminal from drawing them; what they mean is ours. */
function RawMode(): ReactNode {
  const { setRawMode, isRawModeSupported } = useStdin();
  useEffect(() => {
    if (!isRawModeSupported) return undefined;
    setRawMode(true);
    return () => setRawMode(false);
  }, [setRawMode, isRawModeSupported]);
  return null;
}

/** On the second screen: what is on the first stays as it is behind it. */
function Pager(): ReactNode {
  const dialog = useAppState(({ dialog }) => dialog);
  return dialog.kind === "transcript" ? <TranscriptPager by={-dialog.back} /> : null;
}

function ScreenKeys({ onKey }: { readonly onKey: KeyHandler }): ReactNode {
  useKeys(onKey);
  return null;
}

function PromptKeys({ prompt }: { readonly prompt: PromptController }): ReactNode {
  const { store } = useFace();
  // Asked when the key comes, not when it was last drawn: a dialog may have opened since.
  useKeys((key) => store.getState().dialog.kind === "none" && prompt.key(key));
  return null;
}
