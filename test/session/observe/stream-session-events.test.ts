import { join } from "node:path";
import { expect, test } from "vitest";
import type { Envelope } from "../../../src/protocol/index.ts";
import { createSession } from "../../../src/session/index.ts";
import { createScriptedModel, systemClock } from "../../../src/testing.ts";
import { isLive } from "../../../src/view/index.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { sessionDirectoryOf, watch } from "../../support/session/watch-sessions.ts";

const stored = (envelopes: readonly Envelope[]) => envelopes.filter(({ event }) => !isLive(event));

async function begin(options: { own?: boolean } = {}) {
  const tree = tempTree();
  tree.folder("project");
  tree.folder("home");
  const model = createScriptedModel({ version: 1, steps: [{ text: "one" }, { text: "two" }] }, { clock: systemClock });
  const home = join(tree.path("home"), ".troupe");
  const session = await createSession({
    cwd: tree.path("project"),
    env: { HOME: tree.path("home"), PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
    model,
    permissionMode: "bypassPermissions",
    observable: true,
  });
  return { session, home, sessionDirectory: sessionDirectoryOf(home, options.own ? session : undefined) };
}

test.each([false, true])("stored events, then new ones, nothing twice (in the same process: %s)", async (own) => {
  const { session, sessionDirectory } = await begin({ own });
  await session.ask("first");
  const seen = await watch(sessionDirectory, session.id);
  await seen.caughtUp();
  await seen.state("reachable");
  await session.ask("second");
  await seen.event(({ event }) => event.type === "turn.ended" && event.turn === 2);
  expect(seen.envelopes.some(({ event }) => event.type === "text.delta" && event.text.includes("two"))).toBe(true);
  await session.close();
  await seen.event(({ event }) => event.type === "session.closed");
  await seen.state("stored");
  const numbers = stored(seen.envelopes).map(({ seq }) => seq);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  await seen.stop();
});
