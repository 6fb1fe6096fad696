import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { hasErrorCode, ProcessIdentity, storageError } from "../../platform/index.ts";
import { MemberState } from "../../protocol/index.ts";

/** What one member says of itself. */
export const PresenceFile = z.object({
  name: z.string(),
  state: MemberState,
  detail: z.string().optional(),
  since: z.string(),
  owner: ProcessIdentity,
  /** Milliseconds since the machine was started, when it was last said: no clock that anybody sets. */
  beat: z.number(),
});
export type PresenceFile = z.infer<typeof PresenceFile>;

/** Readers see the old word or the new one. It need not outlive the machine: after a restart its process is dead anyway. */
export function writePresence(path: string, presence: PresenceFile): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, JSON.stringify(presence), { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw storageError("write", path, error);
  }
}

/** Undefined if there is none, `damaged` if nobody can tell what it says. */
export function readPresence(path: string): PresenceFile | "damaged" | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw storageError("read", path, error);
  }
  const presence = PresenceFile.safeParse(parsed(text));
  return presence.success ? presence.data : "damaged";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
