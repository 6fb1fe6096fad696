/** The terminal modes that the UI sets, and resets when it ends. */
export interface TerminalModes {
  on(): void;
  /** Safe to call twice, and during a crash. */
  off(): void;
}

export interface TerminalModesOptions {
  readonly stdin: Pick<NodeJS.ReadStream, "setRawMode" | "isTTY" | "isRaw">;
  readonly stdout: Pick<NodeJS.WriteStream, "write" | "isTTY">;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const pasteOn = "\x1b[?2004h";
const pasteOff = "\x1b[?2004l";
const keysOn = "\x1b[>1u";
const keysOff = "\x1b[<u";
const cursorOn = "\x1b[?25h";
/** Ends a synchronized update: a crash during one would leave the screen frozen. */
const updateOff = "\x1b[?2026l";

export function createTerminalModes({ stdin, stdout, env }: TerminalModesOptions): TerminalModes {
  const hasKeys = reportsModifiedKeys(env);
  let isOn = false;
  return {
    on() {
      if (isOn || !stdout.isTTY) return;
      isOn = true;
      stdout.write(pasteOn + (hasKeys ? keysOn : ""));
    },
    off() {
      if (!isOn) return;
      isOn = false;
      if (stdin.isTTY && stdin.isRaw) stdin.setRawMode(false);
      stdout.write((hasKeys ? keysOff : "") + pasteOff + updateOff + cursorOn);
    },
  };
}

/** True for terminals known to distinguish shift+enter from enter on request. Others may print the unknown sequence. */
function reportsModifiedKeys(env: TerminalModesOptions["env"]): boolean {
  const program = env["TERM_PROGRAM"] ?? "";
  return (
    env["KITTY_WINDOW_ID"] !== undefined ||
    /kitty|ghostty|foot/.test(env["TERM"] ?? "") ||
    ["WezTerm", "ghostty", "iTerm.app"].includes(program)
  );
}
