import { hasRoomForNotices, isShortScreen, noticeLineCount } from "../panels/live-layout.ts";

export interface QuestionLayout {
  /** True while the request is read without the answers. */
  readonly isReading: boolean;
  /** True if there is no space for blank lines. */
  readonly isTight: boolean;
  /** Visible lines of the request. */
  readonly height: number;
  /** Lines for the answers. */
  readonly answerLines: number;
}

export interface QuestionLayoutInput {
  readonly rows: number;
  /** The number of lines of the heading. `body` and `answers` count the request and the answers. */
  readonly askerLines: number;
  readonly body: number;
  readonly answers: number;
  /** True if the request is not fully read yet, and is short enough to be read. */
  readonly canRead: boolean;
}

/**
 * Divides the screen between a question and its answers. Until the request is read it also uses the lines of the
 * answers. Blank lines go first if the screen is too low for both.
 */
export function layoutQuestion({ rows, askerLines, body, answers, canRead }: QuestionLayoutInput): QuestionLayout {
  const isShort = isShortScreen(rows);
  const free =
    rows - askerLines - (isShort ? shortScreenChrome : hasRoomForNotices(rows) ? chrome : chrome - noticeLineCount);
  // All of it fits, so no line for the position is needed.
  if (!isShort && body + answers <= free + positionLines + blankLines) {
    const isTight = body + answers > free + positionLines;
    return { isReading: false, isTight, height: body, answerLines: answers };
  }
  const minHeight = isShort ? Math.max(1, Math.min(4, free - minAnswerLines)) : 6;
  const isReading = canRead && body > Math.max(minHeight, free - answers);
  const height = Math.min(body, Math.max(minHeight, isReading ? free : free - answers));
  return { isReading, isTight: isShort, height, answerLines: isReading ? 0 : Math.max(minAnswerLines, free - height) };
}

const minAnswerLines = 3;

/** The lines that tell the position in a long request, and a second line of the hint. */
const positionLines = 2;
/** The blank lines around the request. */
const blankLines = 2;
/** Lines for the frame, blank lines, position, hints, and the parts below the dialog. */
const chrome = 12;
/** Lines for the position, a hint of two lines, and one free line. */
const shortScreenChrome = 4;
