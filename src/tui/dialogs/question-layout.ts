import { hasRoomForNotices, isShortScreen, noticeLineCount } from "../panels/live-layout.ts";

export interface QuestionLayout {
  /** What is asked about is read first, without the answers. */
  readonly isReading: boolean;
  /** Lines of it that are on the screen. */
  readonly height: number;
  /** Lines for the answers. */
  readonly answerLines: number;
}

export interface QuestionLayoutInput {
  readonly rows: number;
  /** How many lines each of them has: who asks, what it is about, the answers. */
  readonly askerLines: number;
  readonly body: number;
  readonly answers: number;
  /** Not all of it was seen yet, and it can be. */
  readonly canRead: boolean;
}

/** Shares a screen between a question and its answers. Until all of it was seen it has the room of the answers too. */
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

/** Not for the frame, blanks, hints, and what stands below the dialog. */
const chrome = 12;
/** Where it is, a hint of two lines, and the line that is left free. */
const shortScreenChrome = 4;
