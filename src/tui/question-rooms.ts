import { hasNotices, isLow, noticeLines } from "./live-rooms.ts";

export interface QuestionRooms {
  /** What is asked about is read first, without the answers. */
  readonly isReading: boolean;
  /** Lines of it that are on the screen. */
  readonly height: number;
  /** Lines for the answers. */
  readonly answerRoom: number;
}

export interface QuestionParts {
  readonly rows: number;
  /** How many lines each of them has: who asks, what it is about, the answers. */
  readonly asking: number;
  readonly body: number;
  readonly answers: number;
  /** Not all of it was seen yet, and it can be. */
  readonly canRead: boolean;
}

/** Shares a screen between a question and its answers. Until all of it was seen it has the room of the answers too. */
export function questionRooms({ rows, asking, body, answers, canRead }: QuestionParts): QuestionRooms {
  const free = rows - asking - (isLow(rows) ? lowChrome : hasNotices(rows) ? chrome : chrome - noticeLines);
  const least = isLow(rows) ? Math.max(1, Math.min(4, free - leastAnswers)) : 6;
  const isReading = canRead && body > Math.max(least, free - answers);
  const height = Math.min(body, Math.max(least, isReading ? free : free - answers));
  return { isReading, height, answerRoom: isReading ? 0 : Math.max(leastAnswers, free - height) };
}

const leastAnswers = 3;

/** Not for the frame, blanks, hints, and what stands below the dialog. */
const chrome = 12;
/** Where it is, a hint of two lines, and the line that is left free. */
const lowChrome = 4;
