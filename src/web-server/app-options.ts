import type { HttpBindings } from "@hono/node-server";
import type { SessionDirectory } from "../session/index.ts";
import type { TokenAuth } from "./token-auth.ts";
import type { Assets } from "./load-assets.ts";
import type { MailApi } from "./mail-api.ts";
import type { StreamRegistry } from "./stream-registry.ts";
import type { WorktreeApi } from "./worktree-api.ts";

export interface AppOptions {
  readonly port: number;
  readonly tokenAuth: TokenAuth;
  readonly sessionDirectory: SessionDirectory;
  readonly worktrees: WorktreeApi;
  readonly mail: MailApi;
  readonly assets: Assets;
  readonly streams: StreamRegistry;
  /** Called for each request with the right cookie. */
  readonly onAuthenticated: (bindings: Partial<HttpBindings>) => void;
  /** Called with an unexpected error, which is a bug. */
  readonly onFailure: (error: unknown) => void;
}
