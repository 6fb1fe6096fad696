import { writeSync } from "node:fs";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { MailId } from "../../../src/protocol/index.ts";
import { createClaudeTeamStore } from "../../../src/store/claude-files/claude-team-store.ts";

/**
 * send-claude-mail HOME CLAUDE_FOLDER TO COUNT STALE_MS: sends COUNT mails as the user and prints each one that is
 * stored.
 */
const [home = "", claudeFolder = "", to = "", count = "", stale = ""] = process.argv.slice(2);
const createId = createIdFactory(systemClock);
const store = createClaudeTeamStore({ home, claudeFolder, clock: systemClock, createId, staleMs: Number(stale) });
const team = await store.open("crew");
for (let n = 0; n < Number(count); n++) {
  const id = createId<MailId>("mail");
  const body = { kind: "text", text: `${process.pid} ${n}${n % 7 === 0 ? "x".repeat(50_000) : ""}` } as const;
  await team.inbox(to).send({ id, from: "user", to, timestamp: new Date().toISOString(), wakes: true, body });
  writeSync(1, `${id}\n`);
}
await team.close();
