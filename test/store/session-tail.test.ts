import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeLine } from "../../src/platform/index.ts";
import type { AgentId, EventId, SessionId, StoredEnvelope } from "../../src/protocol/index.ts";
import { repairLog, type SessionFiles, tailSession } from "../../src/store/index.ts";
import { sessionFiles } from "../../src/store/session-files.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { createId, newSessionId, note, storeOptions } from "../support/store/sample-events.ts";

interface Place {
  readonly session: SessionId;
  readonly files: SessionFiles;
  readonly agents: readonly AgentId[];
  pathOf(agent: AgentId): string;
  /** Makes the next event of an agent, at this second. */
  next(agent: AgentId, second: number, text?: string): StoredEnvelope;
  append(...envelopes: readonly StoredEnvelope[]): void;
}

function place(): Place {
  const session = newSessionId();
  const files = sessionFiles(temporaryFolder(), "project", session);
  mkdirSync(files.subagents, { recursive: true });
  const agents = [1, 2, 3].map(() => createId<AgentId>("agt"));
  const last = new Map<AgentId, number>();
  const pathOf = (agent: AgentId) => (agent === agents[0] ? files.log : join(files.subagents, `${agent}.jsonl`));
  return {
    session,
    files,
    agents,
    pathOf,
    next(agent, second, text = "x") {
      const seq = (last.get(agent) ?? 0) + 1;
      last.set(agent, seq);
      const at = new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
      return { v: 1, id: createId<EventId>("evt"), session, agent, seq, at, event: note(text) };
    },
    append(...envelopes) {
      for (const envelope of envelopes) appendFileSync(pathOf(envelope.agent), encodeLine(envelope));
    },
  };
}

const tailOf = ({ files, session }: Place, seen = new Map<AgentId, number>()) => tailSession(files, { session, seen });

async function rest(tail: ReturnType<typeof tailSession>): Promise<StoredEnvelope[]> {
  const all: StoredEnvelope[] = [];
  for await (const batch of tail.read()) all.push(...batch);
  return all;
}

describe("tail of a session", () => {
  it("merges all logs by time, each agent's in order, whatever the order of writes", async () => {
    const step = fc.record({
      agent: fc.nat(2),
      gap: fc.nat(2),
      reads: fc.boolean(),
      size: fc.constantFrom(1, 50, 3000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        const here = place();
        const tail = tailOf(here);
        const written: StoredEnvelope[] = [];
        const read: StoredEnvelope[] = [];
        let second = 0;
        for (const { agent, gap, reads, size } of steps) {
          second += gap;
          const envelope = here.next(here.agents[agent] as AgentId, second, "y".repeat(size));
          here.append(envelope);
          written.push(envelope);
          if (reads) read.push(...(await rest(tail)));
        }
        read.push(...(await rest(tail)));
        expect(new Set(read.map(({ id }) => id))).toEqual(new Set(written.map(({ id }) => id)));
        expect(read).toHaveLength(written.length);
        for (const agent of here.agents)
          expect(read.filter((each) => each.agent === agent)).toEqual(written.filter((each) => each.agent === agent));
        const whole = await rest(tailOf(here));
        expect(whole.map(({ at }) => at)).toEqual(whole.map(({ at }) => at).sort());
      }),
      { numRuns: 40 },
    );
  });

  it("starts after a cursor, and skips events known from another source", async () => {
    const here = place();
    const [lead, child] = here.agents as [AgentId, AgentId];
    const first = Array.from({ length: 5 }, (_, i) => here.next(lead, i));
    here.append(...first, here.next(child, 9));
    const seen = new Map([[lead, 3]]);
    const tail = tailOf(here, seen);
    expect((await rest(tail)).map(({ agent, seq }) => [agent, seq])).toEqual([
      [lead, 4],
      [lead, 5],
      [child, 1],
    ]);
    const more = [here.next(lead, 10), here.next(lead, 11)];
    here.append(...more);
    seen.set(lead, 6);
    expect(await rest(tail)).toEqual(more.slice(1));
    expect(seen.get(lead)).toBe(7);
  });

  it("reads a record only when it is complete, even if much longer than one read", async () => {
    const here = place();
    const [lead] = here.agents as [AgentId];
    const long = here.next(lead, 1, "z".repeat(3 << 20));
    const line = encodeLine(long);
    const tail = tailOf(here);
    for (const part of [line.slice(0, 40), line.slice(40, 1 << 21), line.slice(1 << 21, -10)]) {
      appendFileSync(here.files.log, part);
      expect(await rest(tail)).toEqual([]);
    }
    appendFileSync(here.files.log, line.slice(-10));
    expect(await rest(tail)).toEqual([long]);
    // As an editor leaves it: complete, except for the newline.
    const next = here.next(lead, 2);
    appendFileSync(here.files.log, encodeLine(next).trim());
    expect(await rest(tail)).toEqual([next]);
    const last = here.next(lead, 3);
    here.append(last);
    expect(await rest(tail)).toEqual([last]);
  });

  it("continues after a torn end was removed or the log was rewritten", async () => {
    const here = place();
    const [lead] = here.agents as [AgentId];
    const first = here.next(lead, 1);
    here.append(first);
    const { length } = readFileSync(here.files.log);
    appendFileSync(here.files.log, encodeLine(here.next(lead, 2)).slice(0, 60));
    const tail = tailOf(here);
    expect(await rest(tail)).toEqual([first]);
    truncateSync(here.files.log, length);
    const again = { ...here.next(lead, 3), seq: 2 };
    here.append(again);
    expect(await rest(tail)).toEqual([again]);
    const text = readFileSync(here.files.log);
    rmSync(here.files.log);
    writeFileSync(here.files.log, text);
    const third = { ...here.next(lead, 4), seq: 3 };
    here.append(third);
    expect(await rest(tail)).toEqual([third]);
  });

  it("reports damage with its place and what to do, and reads the repaired part", async () => {
    const here = place();
    const [lead] = here.agents as [AgentId];
    const all = Array.from({ length: 6 }, (_, i) => here.next(lead, i, `text ${i}`));
    here.append(...all);
    const text = readFileSync(here.files.log, "utf8");
    const damage = {
      "a flipped letter": text.replace("text 3", "texd 3"),
      "a record that is gone": text.replace(encodeLine(all[3]), ""),
      "no JSON": text.replace(encodeLine(all[3]), "\nwhat is this\n"),
      "another's event": text.replace(encodeLine(all[3]), encodeLine({ ...all[3], session: newSessionId() })),
      "no event, by another program": text.replace(encodeLine(all[3]), `\n${JSON.stringify({ ...all[3], at: 1 })}\n`),
    };
    for (const [what, now] of Object.entries(damage)) {
      writeFileSync(here.files.log, now);
      await expect(rest(tailOf(here)), what).rejects.toMatchObject({ code: "session_damaged" });
    }
    writeFileSync(here.files.log, damage["a flipped letter"]);
    await repairLog(here.files.log, storeOptions);
    expect((await rest(tailOf(here))).map(({ event }) => event.type)).toHaveLength(6);
    const newer = encodeLine({ ...all[5], event: { type: "moon.landed" } });
    writeFileSync(here.files.log, text.replace(encodeLine(all[5]), newer));
    await expect(rest(tailOf(here))).rejects.toMatchObject({ code: "session_newer" });
  });

  it("gives nothing for a missing session", async () => {
    const here = place();
    expect(await rest(tailOf(here))).toEqual([]);
  });
});
