import { join } from "node:path";
import * as z from "zod";
import { makeFolder, readJsonFile, writeFileAtomic } from "../../platform/index.ts";
import type { PinnedTool, ToolPins } from "../../tool/mcp/index.ts";

const Pins = z.object({ version: z.literal(1), tools: z.record(z.string(), z.string()) });

/**
 * Stores, in a file of the user, the digest of each server tool when it was last allowed. Sessions that write at the
 * same time may lose an entry. That tool then counts as new again.
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
      last = written.catch(() => undefined); // the caller gets the error; the next write must run anyway
      return written;
    },
  };
}

const keyOf = ({ source, server, tool }: PinnedTool): string => JSON.stringify([source, server, tool]);
