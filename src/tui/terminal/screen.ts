import { createAlternateScreen } from "./alternate-screen.ts";
import { createIncrementalOutput } from "./terminal-output.ts";
import { watchTerminalSize } from "./terminal-size.ts";

export interface ScreenOptions {
  readonly stdout: NodeJS.WriteStream;
  readonly isScreenReader: boolean;
  /** Prints and draws everything on the cleared screen. */
  readonly redraw: () => void;
}

/** How long the size of the terminal must stay the same before the screen is redrawn. */
export const settleMs = 60;

/**
 * The normal and the alternate screen of a terminal. Lines wrapped at another width clutter the normal screen, so it is
 * redrawn when the size has settled.
 */
export function createScreen({ stdout, isScreenReader, redraw }: ScreenOptions) {
  let redrawing: NodeJS.Timeout | undefined;
  let isResized = false;
  const redrawSoon = () => {
    clearTimeout(redrawing);
    isResized = alternateScreen.isOpen();
    if (isScreenReader || isResized) return;
    clear();
    redrawing = setTimeout(() => {
      clear();
      redraw();
      output.refresh();
    }, settleMs);
  };
  // Clears line by line: some terminals copy a cleared screen into their scrollback.
  const clear = () => {
    stdout.write(`\x1b[H${"\x1b[2K\x1b[1B".repeat(size.store.getState().rows)}\x1b[H`);
    output.cleared();
  };

  const size = watchTerminalSize(stdout, redrawSoon);
  const output = createIncrementalOutput(stdout);
  const alternateScreen = createAlternateScreen({
    write: (text) => void stdout.write(text),
    size: size.store.getState,
    onOpen: output.hold,
    onClose() {
      output.release();
      if (isResized) redrawSoon();
    },
  });
  return {
    size: size.store,
    output,
    alternateScreen,
    stop() {
      clearTimeout(redrawing);
      size.stop();
    },
  };
}
