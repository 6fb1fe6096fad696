import { coordinatorConduct, workerContext, type WorkerFacts } from "./fragments/system/coordinator-conduct.ts";
import { composeSystemPrompt, type SystemPromptFacts } from "./system-prompt.ts";

/**
 * The system prompt of a coordinator: the fixed part, the shared instructions, then its workers and its environment.
 */
export function composeCoordinatorPrompt(facts: SystemPromptFacts, workers: WorkerFacts): string[] {
  // A coordinator has no tool to load skills; its workers get the list.
  const [, ...shared] = composeSystemPrompt({ ...facts, skills: [] });
  return [coordinatorConduct, ...shared.slice(0, -1), workerContext(workers), ...shared.slice(-1)];
}
