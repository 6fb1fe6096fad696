/**
 * An error that a user or a caller of the library can act on. `message` is one line: what failed, where, and what to
 * do. Any other thrown error is a bug and keeps its stack.
 */
export class TroupeError extends Error {
  override readonly name = "TroupeError";
  readonly code: TroupeErrorCode;

  constructor(code: TroupeErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  /** Also true for errors of another installed copy of this package, where `instanceof` fails. */
  static is(value: unknown): value is TroupeError {
    return value instanceof Error && value.name === "TroupeError" && "code" in value;
  }
}

export type TroupeErrorCode =
  | "agent"
  | "usage"
  | "settings"
  | "no_model"
  | "unknown_model"
  | "script"
  | "prompt"
  | "session_not_found"
  | "session_busy"
  | "session_newer"
  | "session_damaged"
  | "session_closed"
  | "slow_reader"
  | "home"
  | "storage"
  | "name"
  /** A problem with a repository, a worktree or a landing. */
  | "git"
  /** A problem with a team, a member or a name. */
  | "team"
  /** A mail that cannot be sent: no receiver, too large, or too many. */
  | "mail"
  /** A task that does not allow the requested change. */
  | "task"
  /** A port of this machine that another process uses. */
  | "port"
  | "mcp";

/** The message of an error, or the thrown value as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
