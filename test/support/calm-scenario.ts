import { obedientPersona } from "../../simulation/model/persona.ts";
import { createScenario, type Scenario } from "../../simulation/scenario.ts";

/** Two obedient members with a task each, the second after the first, and no faults. */
export function calmScenario(more: Partial<Scenario> = {}): Scenario {
  const scenario = createScenario(1);
  const member = (name: string) => ({
    name,
    type: "general-purpose",
    planRequired: false,
    mode: undefined,
    steps: 2,
    worktree: false,
  });
  return {
    ...scenario,
    members: [member("alice"), member("bob")],
    tasks: [
      { subject: "Part 1", blockedBy: [], owner: 0 },
      { subject: "Part 2", blockedBy: [0], owner: 1 },
    ],
    personas: new Map([...scenario.personas.keys()].map((name) => [name, obedientPersona])),
    assign: "owner",
    earlyOwners: false,
    tasksFirst: true,
    followUps: 0,
    ending: "answer",
    leadMode: "acceptEdits",
    backend: "in-process",
    user: "absent",
    maxBudgetUsd: undefined,
    partialCleanUp: false,
    guestAtRecord: undefined,
    faults: { killAtRecord: Infinity, diskFull: undefined, clockJump: undefined, lostMember: undefined, provider: 0 },
    ...more,
  };
}
