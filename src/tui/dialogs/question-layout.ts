import { hasRoomForNotices, isShortScreen, noticeLineCount } from "../panels/live-layout.ts";

export interface QuestionLayout {
  /** True while the request is read without the answers. */
  readonly isReading: boolean;
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
 * answers.
 */
export function layoutQuestion({ rows, askerLines, body, answers, canRead }: QuestionLayoutInput): QuestionLayout {
  const free =
    rows -
    askerLines -
    (isShortScreen(rows) ? shortScreenChrome : hasRoomForNotices(rows) ? chrome : chrome - noticeLineCount);
  const minHeight = isShortScreen(rows) ? Math.max(1, Math.min(4, free - minAnswerLines)) : 6;
  const isReading = canRead && body > Math.max(minHeight, free - answers);
  const height = Math.min(body, Math.max(minHeight, isReading ? free : free - answers));
  return { isReading, height, answerLines: isReading ? 0 : Math.max(minAnswerLines, free - height) };
}

const minAnswerLines = 3;

/** Lines for the frame, blank lines, hints, and the parts below the dialog. */
const chrome = 12;
/** Lines for the position, a hint of two lines, and one free line. */
const shortScreenChrome = 4;
