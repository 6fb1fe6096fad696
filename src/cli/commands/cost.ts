import { costOf } from "../../model/index.ts";
import { type StoredEnvelope, TroupeError } from "../../protocol/index.ts";
import type { SessionStore } from "../../store/index.ts";
import { openSessionStore } from "../../session/index.ts";
import {
  cachedShare,
  costByModel,
  type CostReport,
  costReport,
  costSums,
  type CostSum,
  costTable,
  totalCost,
  visibleLine,
} from "../../view/index.ts";
import { exitCodes } from "../exit-codes.ts";

export interface CostFlags {
  readonly json?: boolean;
  /** Includes the sessions of every folder. */
  readonly all?: boolean;
  readonly days?: number;
}

/** Prints the cost of sessions, computed from their logs: one session by agent and model, or the total of many. */
export async function cost(id: string | undefined, flags: CostFlags): Promise<number> {
  if (id !== undefined && flags.all) {
    throw new TroupeError("usage", "cannot combine a session with --all. Use one of them.");
  }
  return id === undefined && (flags.all || flags.days !== undefined) ? costOfMany(flags) : costOfOne(id, flags);
}

async function costOfOne(asked: string | undefined, flags: CostFlags): Promise<number> {
  const { store, cwd } = await openSessionStore({ cwd: process.cwd(), env: process.env });
  const id = asked ?? (await store.latest(cwd))?.sessionId;
  if (id === undefined) {
    process.stdout.write(
      flags.json ? "null\n" : "no sessions in this folder; use --all for the sessions of every folder\n",
    );
    return exitCodes.done;
  }
  const report = costReport(await withMembers(store, id), sinceOf(flags));
  if (flags.json) {
    writeJson({ sessionId: id, agents: report.rows.map(withShare), total: withShare(report.total) });
    return exitCodes.done;
  }
  process.stdout.write(`${visibleLine(id)}\n\n`);
  process.stdout.write(report.rows.length === 0 ? "no model was called\n" : costTable(report));
  writeUnpriced([report]);
  return exitCodes.done;
}

/** Returns the logs of a session and of its teams' members, which have separate sessions. */
async function withMembers(store: SessionStore, id: string): Promise<StoredEnvelope[]> {
  const { lead, agents } = await store.read(id);
  const members = lead.flatMap(({ event }) => (event.type === "member.joined" ? [event.sessionId] : []));
  const there = new Set((await store.list()).map(({ sessionId }) => sessionId));
  const memberSessions = await Promise.all(
    members.filter((each) => there.has(each)).map((each) => withMembers(store, each)),
  );
  return [lead, ...agents.values(), ...memberSessions].flat();
}

/** A session that cannot be read is named and makes the command fail, because the total is incomplete. */
async function costOfMany(flags: CostFlags): Promise<number> {
  const { store, cwd } = await openSessionStore({ cwd: process.cwd(), env: process.env });
  const { since } = sinceOf(flags);
  const listed = (await store.list()).filter(
    (session) => (flags.all || session.cwd === cwd) && !(Date.parse(session.updatedAt) < since),
  );
  const sessions: { id: string; cwd: string; updatedAt: string; report: CostReport }[] = [];
  const problems: { sessionId: string; problem: string }[] = [];
  for (const { sessionId, cwd: folder, updatedAt } of listed) {
    try {
      const { lead, agents } = await store.read(sessionId);
      const report = costReport([lead, ...agents.values()].flat(), { since });
      if (report.rows.length > 0) sessions.push({ id: sessionId, cwd: folder, updatedAt, report });
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      problems.push({ sessionId, problem: error.message });
    }
  }
  const reports = sessions.map(({ report }) => report);
  if (flags.json) {
    writeJson({
      sessions: sessions.map(({ id, cwd: folder, updatedAt, report }) => ({
        sessionId: id,
        cwd: folder,
        updatedAt,
        ...withShare(report.total),
      })),
      models: costByModel(reports).map(withShare),
      total: withShare(totalCost(reports)),
      problems,
    });
  } else writeMany(sessions, reports);
  for (const { sessionId, problem } of problems) {
    process.stderr.write(`troupe: ${visibleLine(`${sessionId} is not counted: ${problem}`)}\n`);
  }
  return problems.length > 0 ? exitCodes.failed : exitCodes.done;
}

function writeMany(
  sessions: readonly { id: string; updatedAt: string; report: CostReport }[],
  reports: readonly CostReport[],
): void {
  if (sessions.length === 0) return void process.stdout.write("no model was called\n");
  const named = sessions.map(
    ({ id, updatedAt, report }) => [`${id}  ${updatedAt.slice(0, 16).replace("T", " ")}`, report.total] as const,
  );
  process.stdout.write(costSums("session", [...named, ["total", totalCost(reports)]]));
  process.stdout.write(
    `\n${costSums(
      "model",
      costByModel(reports).map((sum) => [sum.model, sum]),
    )}`,
  );
  writeUnpriced(reports);
}

/** An unknown price must not look like a price of zero. */
function writeUnpriced(reports: readonly CostReport[]): void {
  const unknown = costByModel(reports).filter(
    ({ model, usage, costUsd }) => costUsd === 0 && !costOf(model, usage).known,
  );
  if (unknown.length === 0) return;
  const names = unknown.map(({ model }) => visibleLine(model)).join(", ");
  process.stdout.write(
    `\nThe price of ${names} is unknown, so the totals do not include it. Set a price in the settings (models).\n`,
  );
}

const dayMs = 86_400_000;

const sinceOf = ({ days }: CostFlags) => ({ since: days === undefined ? 0 : Date.now() - days * dayMs });

const withShare = <S extends CostSum>(sum: S) => ({ ...sum, cachedShare: cachedShare(sum) ?? null });

const writeJson = (value: unknown) => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
