import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createConversation, currentEvents } from "../../../src/agent/index.ts";
import type { Session } from "../../../src/session/index.ts";
import { filesIn, timeTravelPlace } from "../../support/session/time-travel.ts";
import { soakRounds } from "../../support/setup/soak-rounds.ts";

/** The same numbers for the same seed. */
const randomFrom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
};

/** A command that changes a few files in one of some ways, also folders into files and back. */
function change(random: (below: number) => number, round: number): string {
  const path = () => ["a", "b", "d/x", "d/y", "d/e/z", "e"][random(6)] ?? "a";
  const ways = [
    () => `mkdir -p d/e; echo ${round} > ${path()}`,
    () => `rm -rf ${path()}`,
    () => `rm -rf e; mkdir e; echo ${round} > e/f`,
    () => `rm -rf d; echo ${round} > d`,
    () => `echo ${round} >> a; echo .ignored > .gitignore; echo ${round} > .ignored`,
    () => `ln -sf a link; chmod +x a; printf '${round}\\r\\n' > crlf`,
  ];
  return `${ways[random(ways.length)]?.() ?? ""} 2> /dev/null; true`;
}

interface Moment {
  readonly files: Record<string, string>;
  readonly conversation: string;
}

const rounds = soakRounds({ suite: 100, soak: 10_000 });
const perSession = 25;

describe("time travel", () => {
  it.each(Array.from({ length: Math.ceil(rounds / perSession) }, (_, at) => at + 1))(
    "restores bytes and conversation of every moment in a random session (seed %i)",
    async (seed) => {
      const random = randomFrom(seed * 7919);
      const place = await timeTravelPlace();
      try {
        if (random(2) === 0) execFileSync("git", ["init", "-q", place.cwd]);
        let session: Session = await place.open();
        /** The state just before each prompt and each rewind, by its id. */
        const moments = new Map<string, Moment>();
        const now = async (): Promise<Moment> => ({
          files: filesIn(place.cwd),
          conversation: await conversationOf(place.stored, session.id),
        });
        const remember = async (before: Moment) => {
          const last = (await session.changes.rewindPoints()).at(-1);
          if (last && !moments.has(last.id)) moments.set(last.id, before);
        };
        for (let round = 0; round < perSession; round++) {
          if (random(3) === 0) {
            await session.changes.diff(); // waits until the state at the last prompt is kept: a person is slower
            editByHand(place.cwd, random, round);
          }
          if (random(8) === 0) {
            await session.close();
            session = await place.open(session.id);
          }
          const before = await now();
          const ids = [...moments.keys()];
          if (ids.length < 2 || random(2) === 0) {
            await place.ask(session, random(4) === 0 ? `say ${round}` : change(random, round));
            await remember(before);
            continue;
          }
          const to = ids[random(ids.length)] ?? "";
          const what = (["both", "files", "conversation"] as const)[random(3)] ?? "both";
          expect(await session.dispatch({ type: "rewind", to, what })).toEqual({ ok: true });
          await remember(before);
          const after = await now();
          const wanted = moments.get(to);
          const isWhole = (await session.changes.rewindPoints()).find(({ id }) => id === to)?.kind === "prompt";
          if (what !== "conversation" && isWhole) expect(after.files).toEqual(wanted?.files);
          if (what === "conversation") expect(after.files).toEqual(before.files);
          expect(after.conversation).toBe((what === "files" ? before : wanted)?.conversation);
          // Forward again: the moment before the rewind is as it was.
          if (random(2) === 0) {
            const own = (await session.changes.rewindPoints()).at(-1)?.id ?? "";
            expect(await session.dispatch({ type: "rewind", to: own })).toEqual({ ok: true });
            await remember(after);
            const forward = await now();
            expect(forward.conversation).toBe(before.conversation);
            expect(forward.files).toEqual(before.files);
          }
        }
        await session.close();
      } finally {
        place.remove();
      }
    },
    120_000,
  );
});

/** The messages of the model, folded from the log on disk. */
async function conversationOf(
  { store }: Awaited<ReturnType<typeof timeTravelPlace>>["stored"],
  id: string,
): Promise<string> {
  const { lead } = await store.read(id);
  const conversation = createConversation(undefined, (to) => currentEvents(lead, to));
  for (const { event } of lead) conversation.apply(event);
  return JSON.stringify(conversation.messages());
}

function editByHand(cwd: string, random: (below: number) => number, round: number): void {
  const path = join(cwd, ["hand", "dir/hand", "hand.bin"][random(3)] ?? "hand");
  if (random(4) === 0) return rmSync(path, { force: true });
  mkdirSync(join(cwd, "dir"), { recursive: true });
  writeFileSync(path, Buffer.from([round, 0, 255, random(256)]));
}
