import { currentProcess } from "../../../src/platform/index.ts";
import { createTeammateRunner, type TeammateRunnerOptions } from "../../../src/team/teammate/teammate-runner.ts";

/**
 * The runner of the teammate `scout` with only the parts that a test provides. Nothing waits, and every hook approves.
 */
export const bareRunner = (
  parts: Pick<TeammateRunnerOptions, "link" | "agent" | "tasks" | "onEnd" | "onFailure" | "clock"> &
    Partial<TeammateRunnerOptions>,
) =>
  createTeammateRunner({
    name: "scout",
    conversation: () => ({ hasReason: false }),
    presence: { lost: new AbortController().signal, set: async () => undefined, close: async () => undefined },
    tools: () => [],
    holder: currentProcess(),
    claims: new Map(),
    unreadMail: async () => [],
    beforeIdle: async () => undefined,
    sentBackPrompt: (why) => why,
    claimPrompt: () => "it is yours",
    setMode: async () => undefined,
    isOutdated: () => false,
    replayed: [],
    ...parts,
  });
