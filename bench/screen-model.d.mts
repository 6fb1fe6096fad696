export interface ScreenModel {
  write(data: string): void;
  resize(columns: number, rows: number): void;
  /** The visible text, without blanks at the ends of lines. */
  screen(): string;
  /** All lines ever written. */
  all(): string;
  /** The visible cells with their styles. */
  cells(): readonly string[];
  /** True while the alternate screen is shown. */
  isOther(): boolean;
}

/** The changes of one synchronised update, and the minimal bytes that show them. */
export interface Change {
  readonly bytes: number;
  readonly cells: number;
  readonly lines: number;
}

export function screenModel(options: {
  readonly columns: number;
  readonly rows: number;
  readonly onFrame?: (change: Change) => void;
}): ScreenModel;
