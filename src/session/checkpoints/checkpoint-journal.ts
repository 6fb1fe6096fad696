import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type Clock, openLineFile } from "../../platform/index.ts";
import { AgentId, PromptId } from "../../protocol/index.ts";

/** A moment and the state of the files of one folder then. */
export const Checkpoint = z.object({
  at: z.iso.datetime(),
  /** `start`: before an agent's first change. `turn`: after its turn. `rewind`: before and after a restore. */
  kind: z.enum(["prompt", "start", "turn", "rewind"]),
  /** The agent whose prompt, change or turn it is. */
  agent: AgentId,
  promptId: PromptId.optional(),
  folder: z.string(),
  /** The id of the state. The same files have the same id. */
  tree: z.string(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** The checkpoints of one session, in one file with one writer. */
export interface CheckpointJournal {
  append(checkpoint: Omit<Checkpoint, "at">): Promise<void>;
  read(): Promise<readonly Checkpoint[]>;
  close(): Promise<void>;
}

export const journalFile = (folder: string): string => join(folder, "journal.jsonl");

/** `folder` is called before the first write. */
export function openCheckpointJournal(folder: () => Promise<string>, clock: Pick<Clock, "now">): CheckpointJournal {
  let file: ReturnType<typeof openLineFile> | undefined;
  const known: Checkpoint[] = [];
  let opening: Promise<void> | undefined;
  const open = async () => {
    const path = journalFile(await folder());
    known.push(...readCheckpoints(path));
    file = openLineFile(path, { soleWriter: true });
  };
  const ready = () => (opening ??= open());
  return {
    async append(checkpoint) {
      await ready();
      const whole: Checkpoint = { at: new Date(clock.now()).toISOString(), ...checkpoint };
      await file?.append([whole]);
      known.push(whole);
    },
    async read() {
      await ready();
      return known;
    },
    close: async () => file?.close(),
  };
}

/** Returns the checkpoints in a file. Skips records that another version wrote. */
export function readCheckpoints(path: string): Checkpoint[] {
  if (!existsSync(path)) return [];
  const file = openLineFile(path);
  return file.readFrom(0).records.flatMap(({ value }) => Checkpoint.safeParse(value).data ?? []);
}
