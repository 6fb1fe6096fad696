import { writeSync } from "node:fs";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createClaudeTeamStore } from "../../../src/store/claude-files/claude-team-store.ts";

/**
 * read-claude-inbox-until-killed HOME CLAUDE_FOLDER: prints a line at the start, then reads and marks the mail of bert
 * until it is killed.
 */
const [home = "", claudeFolder = ""] = process.argv.slice(2);
const ports = { clock: systemClock, createId: createIdFactory(systemClock) };
const team = await createClaudeTeamStore({ home, claudeFolder, ...ports, staleMs: 400 }).open("crew");
writeSync(1, "begun\n");
const reader = await team.inbox("bert").openReader();
for await (const batch of reader.follow(new AbortController().signal))
  for (const { mail } of batch) {
    await reader.mark([mail.id], "delivered");
    await reader.mark([mail.id], "read");
  }
