import { stillActiveError } from "./team-errors.ts";
import type { StoredTeam } from "./team-store.ts";

/** Throws if members run that are not in `except`. */
export async function assertNoActiveMembers(
  { name, record, presence }: Pick<StoredTeam, "name" | "record" | "presence">,
  except: readonly string[],
  processText = (pid: number): string => `process ${pid}`,
): Promise<void> {
  const active: string[] = [];
  for (const member of (await record.read()).members) {
    if (member.ended !== undefined || except.includes(member.name)) continue;
    const there = await presence.look(member.name);
    if (there === undefined || there.alive === "dead") continue;
    active.push(`${member.name} (${there.state}, ${processText(there.pid)})`);
  }
  if (active.length > 0) throw stillActiveError(name, active);
}
