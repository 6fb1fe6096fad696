import { join } from "node:path";
import { makeFolder } from "../../platform/index.ts";
import type { HeldJob } from "../jobs/work-bus.ts";
import { cloneBundle } from "../commits/clone-bundle.ts";
import type { JobPorts } from "./run-job.ts";

/** Clones the code of a job, with its commits so far, on a branch in its own folder. */
export async function cloneJob(
  { spec, state, lost }: Pick<HeldJob, "spec" | "state" | "lost">,
  { folder, files, place }: Pick<JobPorts, "folder" | "files" | "place">,
  branch: string,
): Promise<string> {
  const repository = join(folder, "repository");
  await makeFolder(folder);
  const bundles = [spec.source, ...(state.commits ? [state.commits] : [])];
  const brought = bundles.map((bundle, index) => ({ ...bundle, file: join(folder, `${index}.bundle`) }));
  for (const { object, file } of brought) await files.get(object, file, lost);
  await cloneBundle({ folder: repository, bundles: brought, branch, author: spec.author }, place);
  return repository;
}
