import type { PermissionMode } from "../../../protocol/index.ts";
import { troupeNotice } from "../notice.ts";

/** For a teammate whose mode its lead or user has changed: the system prompt stays as it was. */
export const modeChanged = (mode: PermissionMode): string =>
  troupeNotice(
    `Your permission mode is ${mode} now, whatever you read before.${
      mode === "acceptEdits" ? " You may change files in your folder without asking." : ""
    }`,
  );
