import type { CheckHooks } from "../../agent/definitions/index.ts";
import { TroupeError } from "../../protocol/index.ts";

/**
 * Returns the check for the hooks of a definition, or undefined if the text has none. Loads the hook code only when
 * needed.
 */
export async function createHookCheck(text: string): Promise<CheckHooks | undefined> {
  if (!text.includes("hooks")) return undefined;
  const { loadHooks } = await import("../hooks/load-hooks.ts");
  return (hooks) => {
    try {
      loadHooks([{ value: hooks, source: "", folder: "/", level: "user" }]);
      return undefined;
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      return error.message.replace(/^: (?:hooks[.:]\s*)?/, "");
    }
  };
}
