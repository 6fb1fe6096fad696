import { TroupeError } from "../../protocol/index.ts";
import type { SessionContext } from "../session-context.ts";
import { type DiffRequest, diffSession } from "./diff-session.ts";

/** Compares the files of an open session, up to this moment. */
export async function diffOpenSession(of: DiffRequest, { log, ports }: SessionContext): Promise<string> {
  const { checkpoints } = ports;
  if (!checkpoints)
    throw new TroupeError("checkpoint", "this session keeps no states of files (setting checkpoints.mode).");
  const [lead, agents] = [await log.readLead(), await log.readAgents()];
  return checkpoints.exclusively(async () =>
    diffSession(of, { lead, agents, ...checkpoints, checkpoints: await checkpoints.journal.read(), untilNow: true }),
  );
}
