import { bugFixes } from "./bug-fixes.mjs";
import { conflicts } from "./conflicts.mjs";
import { features } from "./features.mjs";
import { investigations } from "./investigations.mjs";
import { longJobs } from "./long-jobs.mjs";
import { refactors } from "./refactors.mjs";

/** All tasks. Each has a prompt, the files of its repository, hidden tests, and a solution that passes them. */
export const tasks = [...bugFixes, ...features, ...refactors, ...conflicts, ...investigations, ...longJobs];
