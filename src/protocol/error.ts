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
  /**
   * An agent type or a subagent cannot start. The text names the definition or the limit. Run `troupe agents
   * validate`.
   */
  | "agent"
  /** A flag, an option or an argument is wrong. The text names it. Nothing was started. */
  | "usage"
  /**
   * A settings file cannot be read, or a value is wrong. The text names file, line and key. `troupe doctor` lists all
   * problems.
   */
  | "settings"
  /** No model is configured. Set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or pass `--model`. */
  | "no_model"
  /** The model name is not known, or its provider is not configured. Check `--model`, `model` and `aliases`. */
  | "unknown_model"
  /** The file of a scripted model is wrong. The text names the place in the file. */
  | "script"
  /** The prompt is empty, cannot be read, or was refused by a hook. */
  | "prompt"
  /** The model gave no output that fits `outputSchema`. Ask again. */
  | "output"
  /** No session has this id. `troupe sessions --all` lists all sessions. */
  | "session_not_found"
  /** Another process has the session open, or a prompt is already running. Close it there, or wait. */
  | "session_busy"
  /** A newer version of Troupe wrote the session. Update Troupe. */
  | "session_newer"
  /** The log has damaged records. `troupe sessions repair ID` removes them and keeps a copy. */
  | "session_damaged"
  /** The session is closed. Resume it to continue. */
  | "session_closed"
  /** A program read events too slowly and was disconnected. Subscribe again with `replay`. */
  | "slow_reader"
  /** `TROUPE_HOME` cannot be used. Check that it is an absolute path to a folder that you can write. */
  | "home"
  /** A file cannot be written or read. Check disk space and permissions of `TROUPE_HOME`. */
  | "storage"
  /** File states cannot be kept, compared or restored. The text says why. `git` must be installed. */
  | "checkpoint"
  /** A name of a team, a member or a worktree is not allowed. The text says why. */
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
  /** An MCP server is configured wrong, or a required server did not start. Run `troupe mcp test`. */
  | "mcp";

/** The message of an error, or the thrown value as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
