import type { Cleanup } from "../../platform/index.ts";
import type { Config } from "../config/load-config.ts";
import type { SessionHost } from "../session-host.ts";
import type { StartOptions } from "../start-session.ts";

/** The values that every phase of a session's start uses. */
export interface StartContext {
  readonly config: Config;
  readonly options: StartOptions;
  readonly host: SessionHost;
  readonly cleanup: Cleanup;
}
