import type { Clock } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { apiCode, isStreamMissing } from "./connection/bus-errors.ts";
import { requestWithRetry, type RetryLimits } from "./connection/bus-request.ts";
import type { Bus } from "./connection/bus.ts";
import { bucketName, streamPrefix, teamSubjects } from "./team-subjects.ts";

/** Resolves to false if another process already has a stream for that name. */
export async function makeStream(
  bus: Bus,
  { name, stream, replicas }: { readonly name: string; readonly stream: string; readonly replicas: number },
  patience: RetryLimits,
): Promise<boolean> {
  const config = {
    name: stream,
    subjects: [teamSubjects(name).all],
    description: `The team ${name} of Troupe`,
    num_replicas: replicas,
    allow_rollup_hdrs: true,
  };
  try {
    await requestWithRetry(bus, () => bus.jsm.streams.add(config), patience);
    return true;
  } catch (error) {
    if (TroupeError.is(error) && apiCode(error.cause) === 10065) return false;
    throw error;
  }
}

/** Returns the stream of a complete team. */
export async function findStream(bus: Bus, name: string, patience: RetryLimits): Promise<string | undefined> {
  const { team } = teamSubjects(name);
  for (const stream of await streamsOn(bus, team, patience)) {
    const last = () => bus.jsm.streams.getMessage(stream, { last_by_subj: team });
    if ((await requestWithRetry(bus, last, patience)) !== null) return stream;
  }
  return undefined;
}

/** Returns the streams of teams that have this subject. */
export const streamsOn = (bus: Bus, subject: string, patience: RetryLimits): Promise<string[]> =>
  requestWithRetry(
    bus,
    async () => {
      const names: string[] = [];
      for await (const name of bus.jsm.streams.names(subject)) if (name.startsWith(streamPrefix)) names.push(name);
      return names;
    },
    patience,
  );

/** Deletes a team's stream and the bodies of its mail. */
export async function deleteStream(bus: Bus, stream: string, patience: RetryLimits): Promise<void> {
  await requestWithRetry(bus, () => bus.jsm.streams.delete(stream), patience);
  try {
    await bus.jsm.streams.delete(`OBJ_${bucketName(stream)}`);
  } catch (error) {
    if (!isStreamMissing(error)) throw error;
  }
}

/** Removes the remains of a team whose creator was killed before it finished. */
export async function sweepStreams(
  bus: Bus,
  name: string,
  patience: RetryLimits & { readonly clock: Clock },
): Promise<void> {
  for (const stream of await streamsOn(bus, teamSubjects(name).team, patience)) {
    const { created, state } = await requestWithRetry(bus, () => bus.jsm.streams.info(stream), patience);
    const isOld = patience.clock.now() - new Date(created).getTime() > halfMadeMs;
    if (isOld && state.messages < 2) await requestWithRetry(bus, () => bus.jsm.streams.delete(stream), patience);
  }
}

const halfMadeMs = 60_000;
