/**
 * An error that a user or a caller of the library can act on. `message` is one line: what, where, and the way out.
 * Everything else that is thrown is a bug and keeps its stack.
 */
export class TroupeError extends Error {
  override readonly name = "TroupeError";
  readonly code: TroupeErrorCode;

  constructor(code: TroupeErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  /** True for errors of another installed copy of this package too, where `instanceof` fails. */
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
  /** A repository, a worktree or a landing that is not as it must be. */
  | "git"
  /** A team, a member or a name of one that is not as it must be. */
  | "team"
  /** A mail that cannot be sent: to nobody, too large, too many. */
  | "mail"
  /** A task that cannot be changed as was asked. */
  | "task"
  /** A port of this machine that somebody else has. */
  | "port"
  | "mcp";
