import { coordinatorConduct, workerContext, type WorkerFacts } from "./fragments/system/coordinator-conduct.ts";
import { composeSystemPrompt, type SystemPromptFacts } from "./system-prompt.ts";

/** The system prompt of a coordinator: what never changes, then what holds for everybody here, then its workers and where it is. */
export function composeCoordinatorPrompt(facts: SystemPromptFacts, workers: WorkerFacts): string[] {
  // It has no tool to load skills with; its workers are told of them.
  const [, ...shared] = composeSystemPrompt({ ...facts, skills: [] });
  return [coordinatorConduct, ...shared.slice(0, -1), workerContext(workers), ...shared.slice(-1)];
}
