import { writeSync } from "node:fs";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { SessionId, StoredEvent } from "../../../src/protocol/index.ts";
import { createFileSessionStore } from "../../../src/store/index.ts";

/**
 * write-events-until-killed HOME SESSION new|old CWD: records events and prints the id of each stored one, until it is
 * killed.
 */
const [home = "", session = "", which = "", cwd = ""] = process.argv.slice(2);
const sessionId = session as SessionId;
const store = createFileSessionStore({ home, clock: systemClock, createId: createIdFactory(systemClock) });
const opened = which === "new" ? await store.create({ sessionId, cwd }) : await store.open(sessionId);
const record = async (event: StoredEvent) => {
  const { id } = await opened.leadLog.record(event);
  writeSync(1, `${id}\n`);
};
if (which === "new") await record({ type: "session.opened", sessionId, version: "0.0.0", cwd, resumed: false });
for (let n = 0; ; n++) {
  const length = n % 40 === 0 ? 300_000 : n % 997;
  await record({ type: "notice.raised", level: "info", code: "test", message: "x".repeat(length) });
}
