/** The maximum number of lines for each part below the transcript. */
export interface LiveLayout {
  readonly completion: number;
  readonly notices: number;
  readonly tree: number;
  readonly tasks: number;
}

export interface LiveLayoutInput {
  readonly rows: number;
  /** Lines that are always needed: the prompt with its borders, the status line, the spinner. */
  readonly fixed: number;
  /** The lines that each part would use without a limit. */
  readonly completion: number;
  readonly notices: number;
  readonly tree: number;
  readonly tasks: number;
}

/**
 * Divides the screen, most urgent part first: completions, notices, agents, tasks. The transcript gets the rest. On a
 * high screen every part gets all lines it wants.
 */
export function layoutLive({ rows, fixed, ...wants }: LiveLayoutInput): LiveLayout {
  let free = Math.max(0, rows - 1 - fixed - marginFor(rows));
  const claimLines = (wanted: number, most: number): number => {
    const taken = Math.max(0, Math.min(wanted, most, free));
    free -= taken;
    return taken;
  };
  const third = Math.floor(rows / 3);
  return {
    completion: claimLines(wants.completion, maxCompletions),
    notices: claimLines(wants.notices, isShortScreen(rows) ? 2 : 12),
    // Includes the lead's line, the hint and the count of hidden rows.
    tree: claimLines(wants.tree, Math.max(4, third) + (isShortScreen(rows) ? 0 : 3)),
    tasks: claimLines(wants.tasks, Math.max(3, third) + (isShortScreen(rows) ? 0 : 2)),
  };
}

export const maxCompletions = 6;

/** True if the screen is too low for blank lines and optional parts. */
export const isShortScreen = (rows: number): boolean => rows < 20;

/** True if two lines of notices fit below a dialog. Otherwise notices appear when the dialog is closed. */
export const hasRoomForNotices = (rows: number): boolean => rows >= 30;
export const noticeLineCount = 2;

/** The number of blank lines above the parts below the transcript. */
export const marginFor = (rows: number): number => (isShortScreen(rows) ? 0 : 1);
