import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { makeFolder, openLineFile, projectName } from "../../platform/index.ts";
import { homeFolder } from "../../session/index.ts";

const Entry = z.object({ at: z.string(), text: z.string().min(1) });

const kept = 500;
/** A longer prompt is a document that the user can paste again. */
const longest = 20_000;

/** The user's prompts in this project, of all sessions: `prompts.jsonl` beside the sessions. */
export function openPromptHistory({
  cwd,
  env,
}: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}) {
  const opening = realpath(cwd).then((real) =>
    openLineFile(join(homeFolder(env), "projects", projectName(real), "prompts.jsonl"), { durability: "process" }),
  );
  opening.catch(() => undefined); // the caller receives the error
  return {
    /** Oldest first. A repeated prompt appears once, at its last position. */
    async entries(): Promise<readonly string[]> {
      const { records } = (await opening).readFrom(0);
      const texts = records.flatMap(({ value }) => Entry.safeParse(value).data?.text ?? []);
      return [...new Set(texts.toReversed())].slice(0, kept).toReversed();
    },
    async add(text: string): Promise<void> {
      if (text.length > longest) return;
      const file = await opening;
      await makeFolder(dirname(file.path));
      await file.append([{ at: new Date().toISOString(), text }]);
    },
  };
}
