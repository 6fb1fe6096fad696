import type { CallId, Event } from "../../protocol/index.ts";

/** The skills that one agent has loaded, folded from its log. */
export interface LoadedSkills {
  apply(event: Event): void;
  /** The skills that are not in the turns that a compaction keeps, oldest first. */
  replaced(keptFromTurn: number | null): readonly { readonly name: string; readonly text: string }[];
  copy(): LoadedSkills;
}

interface Loaded {
  readonly text: string;
  readonly turn: number;
}

export function createLoadedSkills(known: ReadonlyMap<string, Loaded> = new Map()): LoadedSkills {
  const skills = new Map(known);
  const calls = new Map<CallId, { readonly name: string; readonly turn: number }>();
  return {
    apply(event) {
      if (event.type === "tool.called" && event.name === "Skill") {
        const name = nameIn(event.input);
        if (name !== undefined) calls.set(event.callId, { name, turn: event.turn });
      }
      if (event.type !== "tool.settled") return;
      const call = calls.get(event.callId);
      calls.delete(event.callId);
      if (!call || event.outcome !== "ok") return;
      const text = event.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      skills.delete(call.name);
      skills.set(call.name, { text, turn: call.turn });
    },
    replaced: (keptFromTurn) =>
      [...skills]
        .filter(([, { turn }]) => keptFromTurn === null || turn < keptFromTurn)
        .map(([name, { text }]) => ({ name, text })),
    // Turns of a fork are counted from the start again.
    copy: () => createLoadedSkills(new Map([...skills].map(([name, { text }]) => [name, { text, turn: 0 }]))),
  };
}

function nameIn(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || !("skill" in input)) return undefined;
  return typeof input.skill === "string" ? input.skill.trim().replace(/^\//, "") : undefined;
}
