import { join } from "node:path";
import * as z from "zod";
import { makeFolder, readJsonFile, writeFileAtomic } from "../../platform/index.ts";
import type { PinnedTool, ToolPins } from "../../tool/mcp/index.ts";

const Pins = z.object({ version: z.literal(1), tools: z.record(z.string(), z.string()) });

/**
 * What each tool of a server was when it was last allowed to run, in a file of the user's. Sessions that write at the same
 * moment may lose one entry; that tool is then as new as it was at first.
 */
export async function openToolPins(home: string): Promise<ToolPins> {
  const file = join(home, "mcp-tools.json");
  const read = async () => (await readJsonFile(file, Pins, { code: "settings" }))?.tools ?? {};
  let tools = await read();
  let last: Promise<void> = Promise.resolve();
  const write = async (key: string, digest: string) => {
    tools = { ...(await read()), [key]: digest };
    await makeFolder(home);
    await writeFileAtomic(file, `${JSON.stringify({ version: 1, tools }, null, 2)}\n`, { mode: 0o600 });
  };
  return {
    get: (tool) => tools[keyOf(tool)],
    set(tool, digest) {
      const written = last.then(() => write(keyOf(tool), digest));
      last = written.catch(() => undefined); // whoever asked is told; the one behind must get its turn all the same
      return written;
    },
  };
}

const keyOf = ({ source, server, tool }: PinnedTool): string => JSON.stringify([source, server, tool]);
