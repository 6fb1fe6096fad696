import { rmSync, writeFileSync } from "node:fs";
import { nkeys } from "@nats-io/transport-node";
import { expect, it, onTestFinished } from "vitest";
import { type BusAddress, connectBus } from "../../../../src/store/nats/connection/bus.ts";
import { textMail, textsOf } from "../../../support/mail/sample-mail.ts";
import { busStore, closedAfter, until } from "../../../support/bus/bus-stores.ts";
import { makeAuthority } from "../../../support/bus/certificates.ts";
import { startNats } from "../../../support/bus/nats-server.ts";
import { fileWith, makeOperator, seedOf } from "../../../support/bus/user-credentials.ts";

const start = async (options: Parameters<typeof startNats>[0]) => {
  const server = await startNats(options);
  onTestFinished(() => server.close());
  return server;
};

/** Sends one mail and reads it. */
const works = async (bus: BusAddress) => {
  const team = closedAfter(await busStore("", { bus }).create({ name: "crew", cwd: "/" }));
  await team.inbox("bert").send(textMail("hello"));
  expect(textsOf((await team.inbox("bert").peek()).mail)).toEqual(["hello"]);
};

const refused = async (bus: BusAddress): Promise<string> => {
  const error: unknown = await connectBus(bus).then(
    (opened) => opened.close(),
    (failure: unknown) => failure,
  );
  if (!(error instanceof Error)) throw new Error("it was let in");
  return error.message;
};

it("encrypts, and gives the reason when it distrusts a server or is refused", async () => {
  const authority = makeAuthority("ours");
  const { certFile, keyFile } = authority.sign("server");
  const server = await start({ config: () => `tls { cert_file: "${certFile}", key_file: "${keyFile}" }` });
  const plain = await start({});
  const tls = { caFile: authority.caFile };
  await works({ servers: [server.url], tls });
  await works({ servers: [server.url.replace("nats:", "tls:")], tls });

  expect(await refused({ servers: [server.url] })).toContain(
    "If the system does not know its certificate authority, set bus.tls.caFile in the settings.",
  );
  const other = makeAuthority("other").caFile;
  expect(await refused({ servers: [server.url], tls: { caFile: other } })).toContain(
    `No authority in ${other} signed its certificate.`,
  );
  const elsewhere = server.url.replace("127.0.0.1", "localhost");
  expect(await refused({ servers: [elsewhere], tls })).toContain("is for another name");
  expect(await refused({ servers: [server.url], tls: { caFile: "/no/such.pem" } })).toContain(
    "cannot read a file of bus.tls: ",
  );
  expect(await refused({ servers: [plain.url.replace("nats:", "tls:")] })).toContain(
    "does not support TLS, but its address or the settings require it.",
  );
  const bare = `127.0.0.1:${server.port}`;
  expect(await refused({ servers: [bare], tls })).toContain("refuses the connection without credentials");
  const wrong = await refused({ servers: [`u0:very-secret@${bare}`], tls });
  expect(wrong).toContain("refuses the connection with the name and password");
  expect(wrong).not.toContain("very-secret");
});

it("shows a certificate to a server that asks for one, and is authenticated by it", async () => {
  const authority = makeAuthority("ours");
  const own = authority.sign("server");
  const server = await start({
    config: () =>
      `tls { cert_file: "${own.certFile}", key_file: "${own.keyFile}", ca_file: "${authority.caFile}", verify_and_map: true }`,
    letsIn: 'accounts { A: { jetstream: enabled, users: [{ user: "CN=worker-1" }] } }',
  });
  const servers = [`tls://127.0.0.1:${server.port}`];
  const { caFile } = authority;
  await works({ servers, tls: { caFile, ...authority.sign("worker-1") } });
  expect(await refused({ servers, tls: { caFile, ...authority.sign("worker-2") } })).toContain(
    "refuses the connection with",
  );
  const { certFile } = own;
  expect(await refused({ servers, tls: { caFile, certFile } })).toContain(
    "bus.tls.certFile and bus.tls.keyFile must be set together.",
  );
  const stranger = makeAuthority("other").sign("worker-1");
  const [without, unknown] = await Promise.all([
    refused({ servers, tls: { caFile } }),
    refused({ servers, tls: { caFile, ...stranger } }),
  ]);
  expect(without).toContain("Set bus.tls.certFile and bus.tls.keyFile in the settings.");
  expect(unknown).toContain(`does not accept ${stranger.certFile}`);
});

it("logs in with the seed of an nkey, and reconnects when it is accepted again", async () => {
  const user = nkeys.createUser();
  const server = await start({
    letsIn: `accounts { A: { jetstream: enabled, users: [{ nkey: ${user.getPublicKey()} }] } }`,
  });
  const servers = [`nats://127.0.0.1:${server.port}`];
  const credentialsFile = fileWith(`${seedOf(user)}\n`);
  await works({ servers, credentialsFile });
  const bus = await connectBus({ servers, credentialsFile });
  onTestFinished(() => bus.close());

  const stranger = seedOf(nkeys.createUser());
  expect(await refused({ servers, credentialsFile: fileWith(stranger) })).toContain("with the credentials in");
  expect(await refused({ servers, credentialsFile: fileWith("nothing of the kind") })).toContain(
    "contains no credentials for the bus.",
  );
  expect(await refused({ servers, credentialsFile: "/no/such.creds" })).toMatch(
    /cannot read the credentials for the bus: ENOENT.*[^.]\.$/,
  );

  let refusals = 0;
  void (async () => {
    for await (const status of bus.connection.status()) if (status.type === "error") refusals += 1;
  })();
  writeFileSync(credentialsFile, stranger);
  await server.kill();
  await server.start();
  await until("it is refused again and again", () => refusals >= 3);
  // There may be no credentials while they are renewed.
  rmSync(credentialsFile);
  writeFileSync(credentialsFile, seedOf(user));
  await until("it is back", () => bus.isConnected());
  expect(await bus.jsm.getAccountInfo()).toMatchObject({ streams: 1 });
});

it("logs in with the JWT and seed that an account has signed", async () => {
  const operator = makeOperator();
  const server = await start({ letsIn: operator.config });
  const servers = [`nats://127.0.0.1:${server.port}`];
  await works({ servers, credentialsFile: fileWith(operator.userFile()) });
  const forged = makeOperator().userFile();
  expect(await refused({ servers, credentialsFile: fileWith(forged) })).toContain("with the credentials in");
});
