/** How many lines the parts below the transcript may have. */
export interface LiveLayout {
  readonly completion: number;
  readonly notices: number;
  readonly tree: number;
  readonly tasks: number;
}

export interface LiveLayoutInput {
  readonly rows: number;
  /** Lines that are there in any case: the prompt with its rules, the status line, the spinner. */
  readonly fixed: number;
  /** What each of them would take if there were room. */
  readonly completion: number;
  readonly notices: number;
  readonly tree: number;
  readonly tasks: number;
}

/**
 * Shares the screen out, the most urgent first: what could be meant, what has gone wrong, who is at work, the tasks. What is
 * left is the transcript's. On a high screen nobody is cut short of what they would take anyway.
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
    // With the lead's line, the hint and how many more there are.
    tree: claimLines(wants.tree, Math.max(4, third) + (isShortScreen(rows) ? 0 : 3)),
    tasks: claimLines(wants.tasks, Math.max(3, third) + (isShortScreen(rows) ? 0 : 2)),
  };
}

export const maxCompletions = 6;

/** Too low for blanks and for what is not needed this moment. */
export const isShortScreen = (rows: number): boolean => rows < 20;

/** Whether notices stand below a dialog too, and in how many lines; on other screens they are seen when it is closed. */
export const hasRoomForNotices = (rows: number): boolean => rows >= 30;
export const noticeLineCount = 2;

/** The empty line above what stands below the transcript. */
export const marginFor = (rows: number): number => (isShortScreen(rows) ? 0 : 1);
