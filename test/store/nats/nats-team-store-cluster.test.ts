import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { expect, it, onTestFinished } from "vitest";
import { textMail, textsOf } from "../../support/mail/sample-mail.ts";
import { busStore, closedAfter, until } from "../../support/bus/bus-stores.ts";
import { freePort, type NatsServer, startNats } from "../../support/bus/nats-server.ts";

it("one of three servers is killed: nothing acknowledged is lost, and no caller waits for it", async () => {
  const routes = [await freePort(), await freePort(), await freePort()];
  const servers: NatsServer[] = await Promise.all(
    routes.map((route, n) =>
      startNats({
        name: `n${n}`,
        config: () =>
          `cluster { name: c, listen: "127.0.0.1:${route}", routes: [${routes.map((each) => `"nats://127.0.0.1:${each}"`).join(",")}] }`,
      }),
    ),
  );
  onTestFinished(async () => {
    for (const server of servers) await server.close();
  });
  await formCluster(servers);
  const urls = servers.map(({ url }) => url);
  const options = { bus: { servers: urls } };
  const one = closedAfter(await busStore("", options).create({ name: "crew", cwd: "/" }));
  const two = closedAfter(await busStore("", options).open("crew"));
  const sent: string[] = [];
  const over = new AbortController();
  const sending = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      await one.inbox("bert").send(textMail(`${n}`));
      sent.push(`${n}`);
    }
  })();
  const owners: string[] = [];
  const victim = await leaderOf(servers);
  const before = sent.length;
  await until("mail is moving", () => sent.length > before + 20);
  await victim.kill();
  const created = await one.tasks.create({ subject: "a", description: "" }, { name: "team-lead" });
  if (!created.ok) throw new Error(created.message);
  const answers = await Promise.all(
    [one, two].map((team, n) => team.tasks.claim(created.item.id, { name: `w${n}-${created.item.id}` })),
  );
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  owners.push(...answers.flatMap((answer) => (answer.ok ? [answer.item.owner ?? ""] : [])));
  const after = sent.length;
  await until("mail moves on without it", () => sent.length > after + 20);
  await victim.start();
  over.abort();
  await sending;
  expect(textsOf((await two.inbox("bert").peek()).mail)).toEqual(sent);
  expect((await two.tasks.list()).map(({ owner }) => owner)).toEqual(owners);
  expect((await two.inbox("bert").peek()).problems).toEqual([]);
});

/** Resolves when the servers know each other: a stream can then have three copies. */
async function formCluster(servers: readonly NatsServer[]): Promise<void> {
  const connection = await connect({ servers: `127.0.0.1:${servers[0]?.port}`, user: "u0", pass: "secret" });
  try {
    const { streams } = await jetstreamManager(connection, { checkAPI: false });
    await until("three servers hold a stream", () =>
      streams.add({ name: "probe", subjects: ["probe"], num_replicas: 3 }).then(
        () => true,
        () => false,
      ),
    );
    await streams.delete("probe");
  } finally {
    await connection.close();
  }
}

async function leaderOf(servers: readonly NatsServer[]): Promise<NatsServer> {
  const connection = await connect({ servers: `127.0.0.1:${servers[0]?.port}`, user: "u0", pass: "secret" });
  try {
    const [stream] = await (await jetstreamManager(connection)).streams.list().next();
    const leader = servers[Number(stream?.cluster?.leader?.slice(1))];
    if (leader === undefined) throw new Error("no server leads the stream");
    return leader;
  } finally {
    await connection.close();
  }
}
