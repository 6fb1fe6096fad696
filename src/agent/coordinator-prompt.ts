import { coordinatorConduct, workerContext, type WorkerFacts } from "./fragments/system/coordinator-conduct.ts";
import { composeAgentPrompt, type SystemPromptFacts } from "./system-prompt.ts";

/** The system prompt of a coordinator. It has no tool to load skills; its workers get the list. */
export const composeCoordinatorPrompt = (facts: SystemPromptFacts, workers: WorkerFacts): string[] =>
  composeAgentPrompt(coordinatorConduct({ hasInstructions: facts.instructionFiles.length > 0 }), {
    ...facts,
    skills: [],
    own: [workerContext(workers)],
  });
