import type { HttpBindings } from "@hono/node-server";
import type { SessionDirectory } from "../session/index.ts";
import type { Admission } from "./admission.ts";
import type { Assets } from "./assets.ts";
import type { MailDesk } from "./mail-desk.ts";
import type { Streams } from "./streams.ts";
import type { WorktreeDesk } from "./worktree-desk.ts";

export interface AppOptions {
  readonly port: number;
  readonly admission: Admission;
  readonly observatory: SessionDirectory;
  readonly worktrees: WorktreeDesk;
  readonly mail: MailDesk;
  readonly assets: Assets;
  readonly streams: Streams;
  /** Told of each request that came with the right cookie. */
  readonly onAdmitted: (bindings: Partial<HttpBindings>) => void;
  /** A bug: what was thrown where nothing should have been. */
  readonly failed: (error: unknown) => void;
}
