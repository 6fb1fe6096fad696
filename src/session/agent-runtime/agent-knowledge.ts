import { createOrders, currentEvents, type Orders, type PastEvents } from "../../agent/index.ts";
import type { AgentId, Event, StoredEnvelope, StoredEvent } from "../../protocol/index.ts";
import { createFileTracker, type FileTracker, filesInOldLog } from "../../tool/index.ts";
import type { AgentInstructions, InstructionFiles } from "../instructions/instruction-files.ts";
import { createLoadedSkills, type LoadedSkills } from "./loaded-skills.ts";

/** The knowledge of one agent that outlives its conversation: its orders, files, skills and instructions of folders. */
export interface Knowledge {
  readonly orders: Orders;
  /** The versions that it has read or written. */
  readonly files: FileTracker;
  readonly skills: LoadedSkills;
  readonly instructions: AgentInstructions;
}

/** The knowledge of all agents of a session. */
export interface AgentKnowledge {
  of(agent: AgentId): Knowledge;
  /** Folds the log of an agent that is opened again. */
  recall(agent: AgentId, log: readonly StoredEnvelope[]): void;
  /** After a rewind, the agent knows only the earlier events again. */
  apply(agent: AgentId, event: Event, past: PastEvents): void;
}

export function createAgentKnowledge(instructions: Pick<InstructionFiles, "forAgent">): AgentKnowledge {
  const all = new Map<AgentId, Knowledge>();
  const recalled = new Set<AgentId>();

  const of = (agent: AgentId): Knowledge => {
    const known = all.get(agent);
    if (known) return known;
    const created: Knowledge = {
      orders: createOrders(),
      files: createFileTracker(),
      skills: createLoadedSkills(),
      instructions: instructions.forAgent(),
    };
    all.set(agent, created);
    return created;
  };

  const apply = (agent: AgentId, event: Event) => {
    of(agent).orders.apply(event);
    of(agent).skills.apply(event);
    switch (event.type) {
      // A fork sees what its parent saw.
      case "context.inherited": {
        const { orders, files, skills, instructions: told } = of(event.from);
        all.set(agent, {
          orders: orders.copy(),
          files: files.copy(),
          skills: skills.copy(),
          instructions: told.copy(),
        });
        return;
      }
      case "tool.settled":
        for (const file of event.files ?? []) of(agent).files.saw(file.path, file);
        return;
      // The conversation no longer has the text of the instructions.
      case "context.compacted":
        return of(agent).instructions.forget();
      default:
        return;
    }
  };

  const learn = (agent: AgentId, events: readonly StoredEvent[]) => {
    for (const [path, version] of filesInOldLog(events)) of(agent).files.saw(path, version);
    for (const event of events) apply(agent, event);
  };

  return {
    of,
    apply(agent, event, past) {
      if (event.type !== "agent.rewound" || event.to === undefined) return apply(agent, event);
      all.delete(agent);
      learn(agent, past(event.to));
    },
    recall(agent, log) {
      // An agent that was evicted from memory is still known.
      if (recalled.has(agent)) return;
      recalled.add(agent);
      learn(agent, currentEvents(log));
    },
  };
}
