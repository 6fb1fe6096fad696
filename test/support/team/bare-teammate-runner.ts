import { currentProcess } from "../../../src/platform/index.ts";
import type { TaskList } from "../../../src/store/index.ts";
import { createTeammateRunner, type TeammateRunnerOptions } from "../../../src/team/teammate/teammate-runner.ts";

/**
 * The runner of the teammate `scout` with only the parts that a test provides. Nothing waits, and every hook approves.
 */
export const bareRunner = (
  parts: Pick<TeammateRunnerOptions, "sender" | "agent" | "onEnd" | "onFailure" | "clock"> &
    Partial<TeammateRunnerOptions> & { readonly tasks: TaskList },
) =>
  createTeammateRunner({
    conversation: { hasReason: false },
    presence: { lost: new AbortController().signal, set: async () => undefined, close: async () => undefined },
    claiming: {
      tasks: parts.tasks,
      tools: () => ["Edit"],
      holder: currentProcess(),
      claims: new Map(),
      claimPrompt: async () => "it is yours",
      isLeadWorking: async () => false,
      awaitsPrompt: false,
    },
    unreadMail: async () => [],
    beforeIdle: async () => undefined,
    setMode: async () => undefined,
    isOutdated: () => false,
    jobs: () => [],
    replayed: [],
    ...parts,
  });
