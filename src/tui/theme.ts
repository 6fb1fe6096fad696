/** The meaning of a piece of text. The theme decides its appearance. */
export type Role =
  | "accent"
  | "user"
  | "heading"
  | "code"
  | "link"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "added"
  | "removed"
  | "hunk"
  | "success"
  | "warning"
  | "error"
  | "border";

/** The attributes of text: Ink's name of each, and the codes that turn it on and off. */
const attributes = {
  bold: { ink: "bold", on: "1", off: "22" },
  dim: { ink: "dimColor", on: "2", off: "22" },
  italic: { ink: "italic", on: "3", off: "23" },
  underline: { ink: "underline", on: "4", off: "24" },
  inverse: { ink: "inverse", on: "7", off: "27" },
  strike: { ink: "strikethrough", on: "9", off: "29" },
} as const;

type Attribute = keyof typeof attributes;

export interface Style extends Readonly<Partial<Record<Attribute, boolean | undefined>>> {
  readonly role?: Role | undefined;
  /** The color of a team member, as named in the team's record. */
  readonly agent?: string | undefined;
  /** The color behind the text. */
  readonly ground?: Ground | undefined;
}

/** Text that stands out by the color behind it. */
export type Ground = "user" | "added" | "removed";

export interface Theme {
  readonly kind: "dark" | "light" | "plain";
  /** True for linear text without box drawing and animation. */
  readonly isScreenReader: boolean;
  readonly marks: Marks;
  /** Returns the properties of an Ink `<Text>`: `<Text {...theme.props({ role: "error" })}>`. */
  props(style: Style): InkStyle;
  /** Returns the text with escape sequences, for manual layout. `text` must be visible text. */
  paint(text: string, style: Style | undefined): string;
}

/** Signs before lines and items. */
export interface Marks {
  readonly prompt: string;
  readonly answer: string;
  readonly call: string;
  readonly result: string;
  readonly thinking: string;
  readonly notice: string;
  readonly success: string;
  readonly error: string;
  readonly hint: string;
  readonly bullet: string;
  readonly quote: string;
  readonly rule: string;
  readonly spinner: readonly string[];
  readonly border: "round" | undefined;
}

/** How a message is meant. Each level has its own sign and color. */
export type Level = "info" | "success" | "warning" | "error";

export function markOf(level: Level, marks: Marks): string {
  switch (level) {
    case "info":
      return marks.hint;
    case "success":
      return marks.success;
    case "warning":
      return marks.notice;
    case "error":
      return marks.error;
  }
}

export const levelStyle = (level: Level): Style => (level === "info" ? { dim: true } : { role: level });

export interface InkStyle extends Partial<Record<(typeof attributes)[Attribute]["ink"], boolean>> {
  color?: string;
}

export interface ThemeOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From the settings. The environment takes precedence. */
  readonly theme?: "dark" | "light" | undefined;
  readonly screenReader?: boolean | undefined;
}

export function createTheme({ env, theme, screenReader }: ThemeOptions): Theme {
  const asked = env["TROUPE_SCREEN_READER"];
  // A terminal that cannot move the cursor gets the linear output too.
  const isScreenReader = asked === undefined ? (screenReader ?? env["TERM"] === "dumb") : isOn(asked);
  const isPlain = Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb";
  const background = backgroundOf(env, theme);
  const palette = background === "light" ? light : dark;
  const colorOf = (style: Style): Color | undefined => {
    if (isPlain) return undefined;
    if (style.agent !== undefined && style.agent in agents) return agents[style.agent];
    return style.role && palette[style.role];
  };
  const grounds = background === "light" ? lightGrounds : darkGrounds;
  const groundOf = ({ ground }: Style) => (isPlain || ground === undefined ? undefined : grounds[ground]);
  return {
    kind: isPlain ? "plain" : background,
    isScreenReader,
    marks: isScreenReader ? screenReaderMarks : drawnMarks,
    props: (style) => inkStyle(style, colorOf(style)),
    paint: (text, style) =>
      style === undefined || text === ""
        ? text
        : painted(text, style, { letters: colorOf(style), ground: groundOf(style) }),
  };
}

const isOn = (value: string): boolean => value !== "" && value !== "0";

function backgroundOf(env: ThemeOptions["env"], theme: ThemeOptions["theme"]): "dark" | "light" {
  if (env["TROUPE_THEME"] === "light" || env["TROUPE_THEME"] === "dark") return env["TROUPE_THEME"];
  if (theme !== undefined) return theme;
  // "15;0" means foreground; background. 7 and 15 are light backgrounds.
  const background = env["COLORFGBG"]?.split(";").at(-1);
  return background === "7" || background === "15" ? "light" : "dark";
}

/** Ink's name of a color, and its number in the escape sequence. */
interface Color {
  readonly ink: string;
  readonly code: string;
}

const basic = (ink: string, code: number): Color => ({ ink, code: String(code) });
const exact = (code: number): Color => ({ ink: `ansi256(${code})`, code: `38;5;${code}` });

/** Prefers the terminal's own colors, because they match the user's color scheme. */
const dark: Readonly<Record<Role, Color>> = {
  accent: basic("cyan", 36),
  user: basic("blueBright", 94),
  heading: basic("cyan", 36),
  code: basic("yellow", 33),
  link: basic("blueBright", 94),
  keyword: basic("magenta", 35),
  string: basic("green", 32),
  number: basic("yellow", 33),
  comment: exact(245),
  added: basic("green", 32),
  removed: basic("red", 31),
  hunk: basic("cyan", 36),
  success: basic("green", 32),
  warning: basic("yellow", 33),
  error: basic("red", 31),
  border: exact(240),
};

const light: Readonly<Record<Role, Color>> = {
  ...dark,
  user: basic("blue", 34),
  link: basic("blue", 34),
  code: exact(130),
  number: exact(130),
  warning: exact(130),
  comment: exact(242),
  border: exact(250),
  accent: exact(30),
  heading: exact(30),
  hunk: exact(30),
};

const darkGrounds: Readonly<Record<Ground, string>> = { user: "48;5;237", added: "48;5;22", removed: "48;5;52" };
const lightGrounds: Readonly<Record<Ground, string>> = { user: "48;5;254", added: "48;5;194", removed: "48;5;224" };

const agents: Readonly<Record<string, Color>> = {
  red: basic("red", 31),
  blue: basic("blueBright", 94),
  green: basic("green", 32),
  yellow: basic("yellow", 33),
  purple: basic("magenta", 35),
  orange: exact(208),
  pink: exact(205),
  cyan: basic("cyan", 36),
};

const drawnMarks: Marks = {
  prompt: "❯",
  answer: "●",
  call: "◆",
  result: "⎿",
  thinking: "✻",
  notice: "!",
  success: "✓",
  error: "✗",
  hint: "·",
  bullet: "•",
  quote: "│",
  rule: "─",
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
  border: "round",
};

/** For screen readers: words and plain signs instead of drawings. */
const screenReaderMarks: Marks = {
  prompt: ">",
  answer: "Answer:",
  call: "Tool:",
  result: "Result:",
  thinking: "Thinking:",
  notice: "Warning:",
  success: "Done:",
  error: "Error:",
  hint: "Note:",
  bullet: "-",
  quote: ">",
  rule: "-",
  spinner: [""],
  border: undefined,
};

function inkStyle(style: Style, color: Color | undefined): InkStyle {
  return {
    ...(color && { color: color.ink }),
    ...Object.fromEntries(attributesOf(style).map(({ ink }) => [ink, true])),
  };
}

interface Colors {
  readonly letters: Color | undefined;
  /** The escape code of the color behind the text. */
  readonly ground: string | undefined;
}

function painted(text: string, style: Style, { letters, ground }: Colors): string {
  const codes = [
    ...(ground === undefined ? [] : [{ on: ground, off: "49" }]),
    ...(letters ? [{ on: letters.code, off: "39" }] : []),
    ...attributesOf(style),
  ];
  if (codes.length === 0) return text;
  return `\x1b[${codes.map(({ on }) => on).join(";")}m${text}\x1b[${codes.map(({ off }) => off).join(";")}m`;
}

const attributesOf = (style: Style) =>
  Object.entries(attributes).flatMap(([name, attribute]) => (style[name as Attribute] ? [attribute] : []));
