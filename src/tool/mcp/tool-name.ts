import { createHash } from "node:crypto";

/** The tool name length that every provider accepts. */
const nameLength = 64;
const serverLength = 24;

/**
 * Returns `mcp__server__tool` for each tool of a server, in characters that every provider accepts. Two tools never
 * share a name: if replacing characters would make two names equal, each changed name ends with a hash of the original.
 */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const prefix = `mcp__${server}__`;
  const room = nameLength - prefix.length;
  return apart(tools, (tool) => tool.replace(/[^A-Za-z0-9_-]/g, "_") || "_", {
    room,
    finish: (name) => prefix + name,
  });
}

/**
 * Returns the name part for each server. It contains no `__` and neither begins nor ends with `_`, so that a rule for
 * `mcp__a` never matches a tool of another server.
 */
export function serverNames(servers: readonly string[]): ReadonlyMap<string, string> {
  const plain = (server: string) =>
    server
      .replace(/[^A-Za-z0-9_-]/g, "_")
      .replace(/_{2,}/g, "_")
      .replace(/^_+|_+$/g, "") || "server";
  return apart(servers, plain, { room: serverLength, finish: (name) => name });
}

function apart(
  raw: readonly string[],
  plain: (name: string) => string,
  { room, finish }: { room: number; finish: (name: string) => string },
): ReadonlyMap<string, string> {
  const names = [...new Set(raw)];
  // Providers and people treat names that differ only in case as equal.
  const shared = new Map<string, number>();
  for (const name of names) {
    const key = plain(name).toLowerCase();
    shared.set(key, (shared.get(key) ?? 0) + 1);
  }
  return new Map(
    names.map((name) => {
      const safe = plain(name);
      const alone = shared.get(safe.toLowerCase()) === 1 || (safe === name && !isLaterTwin(name, names, plain));
      return [name, finish(alone && safe.length <= room ? safe : `${safe.slice(0, room - 9)}-${hash(name)}`)];
    }),
  );
}

/** Of several unchanged names that differ only in case, the first keeps its name. */
function isLaterTwin(name: string, names: readonly string[], plain: (name: string) => string): boolean {
  const twin = names.find((other) => plain(other) === other && other.toLowerCase() === name.toLowerCase());
  return twin !== name;
}

const hash = (text: string) => createHash("sha256").update(Buffer.from(text, "utf16le")).digest("hex").slice(0, 8);
