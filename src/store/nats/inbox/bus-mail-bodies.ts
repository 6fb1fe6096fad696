import { stat } from "node:fs/promises";
import { Objm, type ObjectStore } from "@nats-io/obj";
import { ifPresent } from "../../../platform/index.ts";
import { type Mail, TroupeError } from "../../../protocol/index.ts";
import type { MailBodies } from "../../team/inbox/inbox.ts";
import { openMailBodies } from "../../team/inbox/mail-bodies.ts";
import { requestWithRetry, type RetryLimits } from "../connection/bus-request.ts";
import type { Bus } from "../connection/bus.ts";

/** Large texts: in the object store for all machines, and in a folder of each machine that reads them. */
export interface BusBodies extends MailBodies {
  /** Downloads the missing bodies of these mails to this machine. Returns a message for each that failed. */
  fetch(mails: readonly Mail[]): Promise<readonly string[]>;
}

export function openBusBodies(options: {
  readonly bus: Bus;
  readonly bucket: string;
  readonly folder: string;
  readonly patience: RetryLimits;
  readonly replicas: number;
}): BusBodies {
  const { bus, bucket, patience, replicas } = options;
  const local = openMailBodies(options.folder);
  let store: Promise<ObjectStore> | undefined;

  /** Created with the first body. */
  const objects = (): Promise<ObjectStore> => {
    store ??= requestWithRetry(bus, () => new Objm(bus.js).create(bucket, { replicas }), patience).catch(
      (error: unknown) => {
        store = undefined;
        throw error;
      },
    );
    return store;
  };

  const bring = async (name: string): Promise<void> => {
    const path = local.pathOf(name);
    if (path === undefined || (await isThere(path))) return;
    const there = await objects();
    const bytes = await requestWithRetry(bus, () => there.getBlob(name), patience);
    if (bytes === null) throw new TroupeError("storage", `The body ${name} is not in the object store.`);
    await local.save(name.slice(0, -".txt".length) as Mail["id"], new TextDecoder().decode(bytes));
  };

  return {
    pathOf: local.pathOf,
    async save(id, text) {
      const name = await local.save(id, text);
      const there = await objects();
      await requestWithRetry(bus, () => there.putBlob({ name }, new TextEncoder().encode(text)), patience);
      return name;
    },
    async read(name) {
      await bring(name);
      return local.read(name);
    },
    async fetch(mails) {
      const problems: string[] = [];
      for (const { id, body } of mails) {
        if (!("file" in body) || body.file !== `${id}.txt`) continue;
        try {
          await bring(body.file);
        } catch (error) {
          if (!TroupeError.is(error)) throw error;
          problems.push(`cannot download the text of ${id}: ${error.message}`);
        }
      }
      return problems;
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  return (await ifPresent(() => stat(path), { action: "inspect", path })) !== undefined;
}
