import { createReadStream, createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { Objm, type ObjectStore } from "@nats-io/obj";
import { nanos } from "@nats-io/transport-node";
import { TroupeError } from "../../protocol/index.ts";
import { requestWithRetry, type RetryLimits, type Bus } from "../../store/nats/index.ts";
import type { WorkFiles } from "./work-bus.ts";
import { workBucket } from "./work-subjects.ts";

/** Files on the bus. Files that are not removed expire after a week. */
export function openWorkFiles(
  bus: Bus,
  { replicas, patience }: { replicas: number; patience: RetryLimits },
): WorkFiles {
  let store: Promise<ObjectStore> | undefined;
  const objects = (): Promise<ObjectStore> => {
    store ??= requestWithRetry(
      bus,
      () => new Objm(bus.js).create(workBucket, { replicas, ttl: nanos(keptMs) }),
      patience,
    ).catch((error: unknown) => {
      store = undefined;
      throw error;
    });
    return store;
  };
  return {
    async has(name) {
      const there = await objects();
      const info = await requestWithRetry(bus, () => there.info(name), patience);
      return info !== null && !info.deleted;
    },
    async put(name, path, signal) {
      const there = await objects();
      const content = () => Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
      await requestWithRetry(bus, () => there.put({ name }, content()), { ...patience, ...until(signal) });
    },
    async get(name, path, signal) {
      const there = await objects();
      const bring = async () => {
        const found = await there.get(name);
        if (found === null) throw new TroupeError("storage", `${name} is not in the object store of the bus.`);
        await pipeline(Readable.fromWeb(found.data as NodeReadableStream), createWriteStream(path, { mode: 0o600 }));
        const wrong = await found.error;
        if (wrong) throw wrong;
      };
      await requestWithRetry(bus, bring, { ...patience, ...until(signal) });
    },
    async remove(name) {
      const there = await objects();
      await requestWithRetry(bus, () => there.delete(name), patience);
    },
  };
}

const keptMs = 7 * 24 * 3_600_000;
const transferMs = 600_000;
const until = (signal: AbortSignal | undefined) =>
  signal ? { waitMs: Number.POSITIVE_INFINITY, signal } : { waitMs: transferMs };
