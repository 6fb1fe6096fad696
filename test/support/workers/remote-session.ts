import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Envelope } from "../../../src/protocol/index.ts";
import { runWorker } from "../../../src/remote/worker/index.ts";
import { type Session, startSession } from "../../../src/session/index.ts";
import { makeRepository } from "../git/make-repository.ts";
import { temporaryFolder } from "../files/temporary-folder.ts";

export interface RemotePlaceOptions {
  readonly bus: string;
  /** The script of the models. `WAIT` in it is the path of the file that agents wait for. */
  readonly script: string;
  readonly workers?: readonly string[];
  readonly flags?: { readonly maxTokens?: number };
  readonly settings?: object;
}

export interface RemotePlace {
  /** Agents wait as long as this file exists. */
  readonly wait: string;
  /** Output of all workers. */
  readonly said: readonly string[];
  /** Starts a run of the lead's session. */
  live(resume?: string): Promise<RemoteLife>;
  git(...args: string[]): string;
}

export interface RemoteLife {
  readonly session: Session;
  readonly seen: readonly Envelope[];
  /** Resolves with the first envelope that matches, past or future. */
  saw(is: (envelope: Envelope) => boolean): Promise<Envelope>;
  close(): Promise<void>;
}

/** Workers, and a lead that can have several runs, each with its own home, all in this process. */
export function remotePlace({ bus, script, workers = ["near"], flags, settings }: RemotePlaceOptions): RemotePlace {
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  const wait = join(home, "wait");
  const file = join(home, "script.mjs");
  writeFileSync(wait, "");
  writeFileSync(file, script.replaceAll("WAIT", wait));
  const git = makeRepository(cwd);
  // Agents commit in their own name where no user name is configured.
  git("config", "--remove-section", "user");
  const said: string[] = [];
  startWorkers(workers, { bus, said });

  const live = async (resume?: string): Promise<RemoteLife> => {
    const session = await startSession({
      cwd,
      env: envOf(home, bus),
      flags: {
        model: `scripted/${file}`,
        permissionMode: "bypassPermissions",
        settings: JSON.stringify({ bus: { leaseMs: 2000 }, ...settings }),
        ...flags,
      },
      resume,
      asker: "nobody",
      isObservable: false,
    });
    const life = watch(session);
    onTestFinished(async () => {
      rmSync(wait, { force: true });
      await life.close();
    });
    return life;
  };
  return { wait, said, live, git };
}

const envOf = (home: string, bus: string) => ({
  PATH: process.env["PATH"],
  TROUPE_SANDBOX: "off",
  HOME: home,
  TROUPE_HOME: join(home, ".troupe"),
  TROUPE_BUS: bus,
});

function startWorkers(names: readonly string[], { bus, said }: { bus: string; said: string[] }): void {
  const stop = new AbortController();
  const working = names.map((name) => {
    const home = temporaryFolder();
    return runWorker({
      cwd: home,
      env: envOf(home, bus),
      name,
      labels: [],
      maxAgents: 2,
      permissionMode: "bypassPermissions",
      signal: stop.signal,
      leaving: stop.signal,
      say: (line) => void said.push(line),
    });
  });
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(working);
  });
}

function watch(session: Session): RemoteLife {
  const seen: Envelope[] = [];
  const lookers = new Set<() => void>();
  const reading = (async () => {
    for await (const envelope of session.events()) {
      seen.push(envelope);
      for (const look of lookers) look();
    }
  })();
  const close = async () => {
    await session.close();
    await reading;
  };
  const saw: RemoteLife["saw"] = (is) =>
    new Promise((resolve) => {
      const look = () => {
        const found = seen.find(is);
        if (!found) return;
        lookers.delete(look);
        resolve(found);
      };
      lookers.add(look);
      look();
    });
  return { session, seen, saw, close };
}
