import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nkeys } from "@nats-io/transport-node";
import { expect, it, onTestFinished } from "vitest";
import { type AgentId, AgentPath, type MailId } from "../../../src/protocol/index.ts";
import type { JobSpec } from "../../../src/remote/jobs/job.ts";
import { openWorkBus } from "../../../src/remote/jobs/nats-work-bus.ts";
import { systemClock, version } from "../../../src/platform/index.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { busStatus } from "../../../src/remote/jobs/bus-status.ts";
import type { BusAddress } from "../../../src/store/nats/connection/bus.ts";
import { createId, textMail, textsOf } from "../../support/mail/sample-mail.ts";
import { worker } from "../../support/store/store-pair.ts";
import { busStore, closedAfter } from "../../support/bus/bus-stores.ts";
import { makeAuthority } from "../../support/bus/certificates.ts";
import { freePort, startNats } from "../../support/bus/nats-server.ts";
import { fileWith, seedOf } from "../../support/bus/user-credentials.ts";

const page = readFileSync(new URL("../../../docs/how-to/run-a-bus.md", import.meta.url), "utf8");

const blockOf = (name: string): string => {
  const found = new RegExp(`\`\`\`conf\\n(# /etc/nats/${name}\\n[^]*?)\`\`\``).exec(page);
  if (found?.[1] === undefined) throw new Error(`the page has no ${name}`);
  return found[1];
};

it("cluster from the docs page: each user can do its own job and nothing else", async () => {
  const { as } = await startCluster();
  const lead = closedAfter(await busStore("", { bus: as("LEAD") }).create({ name: "parser", cwd: "/" }));
  const options = { bus: as("MEMBER"), limitBytes: 1, keepRead: 1 };
  const member = closedAfter(await busStore("", options).open("parser"));
  await member.record.join(worker("anna"));
  await lead.tasks.create({ subject: "a", description: "" }, { name: "team-lead" });
  expect(await member.tasks.claim(1, { name: "anna" })).toMatchObject({ ok: true });
  const presence = await member.presence.announce("anna", "working");
  const reader = await member.inbox("anna").openReader();
  for (const text of ["x", "y", "z"]) await lead.inbox("anna").send(textMail(text));
  const mail = await reader.unread();
  expect(textsOf(mail)).toEqual(["x", "y", "z"]);
  // Marking as read also compacts the stream.
  await reader.mark(
    mail.map((one) => one.mail.id),
    "read",
  );
  const body = await member.bodies.save(createId<MailId>("mail"), "x".repeat(100_000));
  expect(await lead.bodies.read(body)).toHaveLength(100_000);
  await reader.close();
  expect(reader.takeNotices()).toEqual([]);
  await presence.close();

  const status = await busStatus(as("WATCH"));
  expect(status.server.cluster).toBe("troupe");
  expect(status.streams.find(({ team }) => team === "parser")).toMatchObject({ replicas: 3 });
  const short = { waitMs: 20_000 };
  const no = { message: expect.stringContaining("refuses the request") };
  await expect(busStore("", { bus: as("MEMBER"), ...short }).delete("parser", { force: true })).rejects.toMatchObject(
    no,
  );
  await expect(busStore("", { bus: as("WATCH"), ...short }).open("parser")).rejects.toMatchObject(no);
  const other = closedAfter(await busStore("", { bus: as("LEAD") }).create({ name: "other", cwd: "/" }));
  await expect(busStore("", { bus: as("MEMBER"), ...short }).open(other.name)).rejects.toMatchObject(no);
});

it("worker from the docs page claims a job with its files and returns the result", async () => {
  const { as } = await startCluster();
  const open = async (user: string) => {
    const work = await openWorkBus({ bus: as(user), clock: systemClock });
    onTestFinished(() => work.close());
    return work;
  };
  const lead = await open("LEAD");
  const worker = await open("WORKER");
  const stop = new AbortController();
  const problems: unknown[] = [];
  const heard: string[] = [];
  const taking = worker.claimJobs({
    name: "w1",
    labels: ["gpu"],
    maxAgents: 2,
    signal: stop.signal,
    onProblem: (error) => problems.push(error),
    run: async (job) => {
      const path = join(temporaryFolder(), "code");
      await worker.files.get(job.spec.source.object, path);
      await worker.files.put("back", path);
      await worker.files.remove(job.spec.source.object);
      for await (const order of job.orders(job.lost)) {
        heard.push(order.kind);
        break;
      }
      await job.complete({ reason: "completed", turns: 1 });
    },
  });
  await lead.files.put("code", fileWith("a bundle"));
  const job = await lead.submit(jobFor("code"));
  const states: string[] = [];
  let seen: Awaited<ReturnType<typeof busStatus>> | undefined;
  for await (const news of job.news(new AbortController().signal)) {
    if (news.kind !== "state" || states.at(-1) === news.state.status) continue;
    states.push(news.state.status);
    if (news.state.status === "held") {
      seen = await busStatus(as("WATCH"));
      await job.order({ kind: "interrupt" });
    }
    if (news.state.status === "returned") break;
  }
  expect(states).toEqual(["asked", "held", "returned"]);
  expect(heard).toEqual(["interrupt"]);
  expect(seen?.workers).toEqual([{ name: "w1", labels: ["gpu"], running: 1, maxAgents: 2, version }]);
  expect(seen?.jobs).toMatchObject([{ id: "job_1", agent: "main/1", status: "held", worker: "w1", taken: 1 }]);
  expect(await lead.workers()).toMatchObject([{ name: "w1" }]);
  expect([await lead.files.has("code"), await lead.files.has("back")]).toEqual([false, true]);
  await job.forget();
  stop.abort();
  await taking;
  expect(problems).toEqual([]);
  const outside = busStore("", { bus: as("WORKER"), waitMs: 20_000 }).list();
  await expect(outside).rejects.toMatchObject({ message: expect.stringContaining("refuses the request") });
});

const jobFor = (object: string): JobSpec => ({
  id: "job_1",
  agent: createId<AgentId>("agt"),
  path: AgentPath.parse("main/1"),
  description: "",
  definition: { name: "general", builtIn: true, description: "", prompt: "" },
  model: "scripted",
  mode: "default",
  deny: [],
  said: [],
  labels: ["gpu"],
  leaseMs: 10_000,
  source: { object, head: "0".repeat(40) },
  author: { name: "a", email: "a@example.org" },
});

/** Replaces host names by loopback and ports by free ones. Debian's nats-server does not support `sync_interval`. */
async function startCluster(): Promise<{ as: (user: string) => BusAddress }> {
  const authority = makeAuthority("ours");
  const { certFile, keyFile } = authority.sign("server");
  const numbers = [1, 2, 3];
  const routes = new Map<number, number>();
  for (const n of numbers) routes.set(n, await freePort());
  const seeds = new Map<string, string>();
  const accounts = blockOf("accounts.conf").replaceAll(/UA_([A-Z]+)/g, (_, user: string) => {
    const pair = nkeys.createUser();
    seeds.set(user, fileWith(seedOf(pair)));
    return pair.getPublicKey();
  });
  const servers = await Promise.all(
    numbers.map((n) =>
      startNats({
        whole: ({ folder, port }) =>
          blockOf("nats.conf")
            .replace("nats-1\n", `nats-${n}\n`)
            .replace("0.0.0.0:4222", `127.0.0.1:${port}`)
            .replace("0.0.0.0:6222", `127.0.0.1:${routes.get(n)}`)
            .replaceAll(/nats-(\d)\.example:6222/g, (_, to: string) => `127.0.0.1:${routes.get(Number(to))}`)
            .replace(/^http:.*\n/m, "")
            .replace(/^ *sync_interval:.*\n/m, "")
            .replace("/var/lib/nats", join(folder, "store"))
            .replaceAll("/etc/nats/server.pem", certFile)
            .replaceAll("/etc/nats/server.key", keyFile)
            .replaceAll("/etc/nats/ca.pem", authority.caFile)
            .replace(/^include.*\n/m, accounts),
      }),
    ),
  );
  onTestFinished(async () => {
    for (const server of servers) await server.close();
  });
  const addresses = servers.map(({ port }) => `tls://127.0.0.1:${port}`);
  return {
    as: (user) => ({ servers: addresses, credentialsFile: seeds.get(user), tls: { caFile: authority.caFile } }),
  };
}
