import { createIdFilter, type IdMatch } from "../platform/index.ts";
import type { ContentPart, PromptId } from "../protocol/index.ts";

interface Prompt {
  readonly parts: readonly ContentPart[];
  readonly quiet?: boolean | undefined;
  readonly source: string;
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
    admit(id: PromptId, { parts, source, quiet = false }: Prompt) {
      waiting.set(id, { parts, source, quiet });
      everAdmitted.get(kindOf(id))?.add(id);
    },
    parts: (id: PromptId) => waiting.get(id)?.parts,
    remove: (id: PromptId) => void waiting.delete(id),
    /** Starts again, with prompts that `refill` admits and removes. Waiting mail stays: it is not sent again. */
    restart(refill: () => void) {
      const mail = [...waiting].filter(([, { source }]) => source === "mail");
      waiting.clear();
      refill();
      for (const [id, prompt] of mail) waiting.set(id, prompt);
      for (const [id, { source }] of waiting) if (source === "user") waiting.delete(id);
    },
    // A waiting prompt is always known, however old: callers ask for it again and again.
    seen: (id: PromptId): IdMatch => (waiting.has(id) ? "yes" : (everAdmitted.get(kindOf(id))?.has(id) ?? "no")),
  };
}

/** The id of a prompt sorts among those of its kind: mail, tasks, and everything else. */
const promptKinds = ["prm_m", "prm_t", "prm_"] as const;
const kindOf = (id: PromptId) => promptKinds.find((kind) => id.startsWith(kind)) ?? "prm_";
