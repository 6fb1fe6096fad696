import { expect, test } from "vitest";
import { effectiveMode } from "../../../src/agent/definitions/index.ts";
import type { PermissionMode } from "../../../src/protocol/index.ts";

const strictFirst: readonly PermissionMode[] = ["plan", "dontAsk", "default", "acceptEdits", "bypassPermissions"];
const rank = (mode: PermissionMode) => strictFirst.indexOf(mode);

test("promise 23: subagent never has more rights than its parent, for any definition, setting or call", () => {
  const sayings = [undefined, ...strictFirst];
  for (const parent of strictFirst) {
    for (const definition of sayings) {
      for (const setting of [...sayings, "inherit" as const]) {
        for (const call of sayings) {
          const { mode } = effectiveMode({ parent, definition, setting, call });
          expect(rank(mode)).toBeLessThanOrEqual(rank(parent));
          if (definition) expect(rank(mode)).toBeLessThanOrEqual(rank(definition));
        }
      }
    }
  }
});
