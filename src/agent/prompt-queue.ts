import { createIdFilter, type IdMatch } from "../platform/index.ts";
import type { ContentPart, PromptId } from "../protocol/index.ts";

interface Prompt {
  readonly parts: readonly ContentPart[];
  readonly quiet?: boolean | undefined;
}

/** The prompts that are admitted but not yet in the conversation. */
export function createPromptQueue() {
  const waiting = new Map<PromptId, Prompt>();
  const everAdmitted = new Map(promptKinds.map((kind) => [kind, createIdFilter({ exact: 64, filterBytes: 16_384 })]));
  return {
    get ids(): readonly PromptId[] {
      return [...waiting.keys()];
    },
    get hasReason() {
      for (const { quiet } of waiting.values()) if (!quiet) return true;
      return false;
    },
    admit(id: PromptId, { parts, quiet = false }: Prompt) {
      waiting.set(id, { parts, quiet });
      everAdmitted.get(kindOf(id))?.add(id);
    },
    parts: (id: PromptId) => waiting.get(id)?.parts,
    remove: (id: PromptId) => void waiting.delete(id),
    // A waiting prompt is always known, however old: callers ask for it again and again.
    seen: (id: PromptId): IdMatch => (waiting.has(id) ? "yes" : (everAdmitted.get(kindOf(id))?.has(id) ?? "no")),
  };
}

/** The id of a prompt sorts among those of its kind: mail, tasks, and everything else. */
const promptKinds = ["prm_m", "prm_t", "prm_"] as const;
const kindOf = (id: PromptId) => promptKinds.find((kind) => id.startsWith(kind)) ?? "prm_";
