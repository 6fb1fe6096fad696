import type { OutputFormat } from "../../headless/index.ts";
import type { SessionOptions } from "../../protocol/index.ts";

/** The flags of a run, as parsed from the command line. */
export interface RunFlags extends SessionOptions {
  readonly print?: boolean;
  readonly outputFormat: OutputFormat;
  readonly inputFormat: "text" | "stream-json";
  readonly continue?: boolean;
  /** An id or a name. True without one: the user chooses from a list. */
  readonly resume?: string | true;
  readonly promptFile?: string;
  /** Its name in a team that an external program leads. */
  readonly as?: string;
  readonly verbose?: boolean;
  readonly trust?: boolean;
  /** The port of the dashboard. 0 means any free port. */
  readonly web?: number;
}
