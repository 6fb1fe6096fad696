import { knownModels } from "../../model/index.ts";
import type { TuiOptions } from "../../tui/index.ts";
import { createFileFinder } from "./find-project-files.ts";
import { openPromptHistory } from "./prompt-history.ts";

type PromptSources = Pick<TuiOptions, "promptHistory" | "findFiles" | "contextWindow">;

/** What the prompt of a screen draws on: what was said before, the files there are, and what models can take. */
export function openPromptSources(cwd: string, env: Readonly<Record<string, string | undefined>>): PromptSources {
  return {
    promptHistory: openPromptHistory({ cwd, env }),
    findFiles: createFileFinder({ cwd, env, now: () => Date.now() }),
    contextWindow: (model) => knownModels[model]?.contextWindow,
  };
}
