import { join } from "node:path";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createClaudeTeamStore } from "../../../src/store/claude-files/claude-team-store.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { teamStoreSuite } from "../../support/store/team-store-conformance.ts";
import { inboxConformance } from "../../support/store/inbox-conformance.ts";

teamStoreSuite("in Claude Code's files", async () => pair(temporaryFolder()), {
  "gives each member a unique name, look-alikes included, and a key":
    "messages there have no signature that we know of, so there are no keys; names are tested below",
  "reserves a file or folder for the first member; shared reservations coexist":
    "there is no place for reservations that others would see: they are refused in words",
});

function pair(home: string) {
  let passed = 0;
  const uptime = () => systemClock.monotonic() + passed;
  const options = { home, claudeFolder: join(home, "claude"), ...ports, uptime, beatMs: 1_000_000 };
  return {
    store: createClaudeTeamStore(options),
    other: createClaudeTeamStore(options),
    leaseMs: 10_000,
    letTimePass: (ms: number) => void (passed += ms),
  };
}

const ports = { clock: systemClock, createId: createIdFactory(systemClock) };
const made = new Set<string>();

inboxConformance(
  "Claude Code's files",
  async (home) => {
    const store = createClaudeTeamStore({ home, claudeFolder: join(home, "claude"), ...ports });
    if (made.has(home)) return store.open("t");
    made.add(home);
    const team = await store.create({ name: "t", cwd: "/" });
    for (const name of ["anna", "bert", "carl"]) await team.record.join({ name, cwd: "/", backendType: "in-process" });
    return team;
  },
  {
    "stored mail is visible to every process, as sent, in the order of one sender's calls":
      "urgent, replyTo and signatures have no place there: such mail goes beside the file, and only between members of ours",
  },
);
