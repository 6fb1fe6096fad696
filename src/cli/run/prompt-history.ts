import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { makeFolder, openLineFile, projectName } from "../../platform/index.ts";
import { homeFolder } from "../../session/index.ts";

const Entry = z.object({ at: z.string(), text: z.string().min(1) });

const kept = 500;
/** A longer one is a document; it can be pasted again. */
const longest = 20_000;

/** What the user has said in this project, over all sessions: `prompts.jsonl` beside them. */
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
  opening.catch(() => undefined); // whoever uses it is told
  return {
    /** Oldest first, each once, where it was said last. */
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
