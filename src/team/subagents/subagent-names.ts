import { type AgentId, leadPath, TroupeError } from "../../protocol/index.ts";

/** The names of a session's subagents. A name belongs to one agent that can be reached. */
export interface SubagentNames {
  /** Keeps the name for an agent that is about to start. Rejects with a TroupeError if it is taken. */
  reserve(name: string | undefined): Promise<void>;
  release(name: string | undefined): void;
  set(name: string | undefined, id: AgentId): void;
  idOf(name: string): AgentId | undefined;
  all(): readonly string[];
}

/**
 * `earlier` are names from previous runs of the session. The name of an agent that cannot continue is free.
 */
export function createSubagentNames(
  earlier: ReadonlySet<string>,
  canContinue: (name: string) => Promise<boolean>,
): SubagentNames {
  const ids = new Map<string, AgentId>();
  const reserved = new Set<string>();
  /** Names that differ only in case are one name. */
  const sameAs = (name: string) => (each: string) => each.toLowerCase() === name.toLowerCase();
  const isTaken = (name: string) => [leadPath, ...ids.keys(), ...reserved].some(sameAs(name));
  return {
    async reserve(name) {
      if (name === undefined) return;
      const same = earlier.has(name) ? name : [...earlier].find(sameAs(name));
      const isOfEarlier = !isTaken(name) && same !== undefined && (await canContinue(same));
      if (isOfEarlier || isTaken(name)) throw nameTakenError(name);
      reserved.add(name);
    },
    release(name) {
      if (name !== undefined) reserved.delete(name);
    },
    set(name, id) {
      if (name !== undefined) ids.set(name, id);
    },
    idOf: (name) => ids.get(name),
    all: () => [...ids.keys()],
  };
}

const nameTakenError = (name: string) =>
  new TroupeError(
    "agent",
    `The name ${JSON.stringify(name)} is taken. Choose another name, or send that agent a message.`,
  );
