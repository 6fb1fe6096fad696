export interface ScreenModel {
  write(data: string): void;
  resize(columns: number, rows: number): void;
  /** What is seen, without blanks at the ends of lines. */
  screen(): string;
  /** All lines there ever were. */
  all(): string;
  /** The same with how each cell looks. */
  cells(): readonly string[];
  /** The second screen is shown. */
  isOther(): boolean;
}

/** What has changed in one synchronised update, and the least bytes that show it. */
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
