import { knownModels } from "../../model/index.ts";
import type { TuiOptions } from "../../tui/index.ts";
import { createFileFinder } from "./find-project-files.ts";
import { openPromptHistory } from "./prompt-history.ts";

type PromptSources = Pick<TuiOptions, "promptHistory" | "findFiles" | "contextWindow">;

/**
 * Opens the data sources of a screen's prompt: prompt history, project files, and the attachments that models accept.
 */
export function openPromptSources(cwd: string, env: Readonly<Record<string, string | undefined>>): PromptSources {
  return {
    promptHistory: openPromptHistory({ cwd, env }),
    findFiles: createFileFinder({ cwd, env, now: () => Date.now() }),
    contextWindow: (model) => knownModels[model]?.contextWindow,
  };
}
