import { join } from "node:path";
import { statSync, readdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { workplace } from "../../support/cli/workplace.ts";
import { startNats } from "../../support/bus/nats-server.ts";

const json = (text: string): unknown => JSON.parse(text);

test("two machines share a team on a bus; its keys stay on the machine that made them", async () => {
  const server = await startNats();
  onTestFinished(() => server.close());
  const [lead, other] = [workplace(), workplace()];
  const run = async (place: typeof lead, ...args: string[]) => {
    const { code, stdout, stderr } = await place.run([...args, "--bus", server.url]);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
    return stdout;
  };
  expect(await run(lead, "team", "create", "crew", "--member", "bob")).toBe("team crew: team-lead, bob\n");
  await run(other, "tasks", "add", "fix", "it");
  expect(json(await run(lead, "tasks", "list", "--json"))).toMatchObject([{ id: 1, subject: "fix it" }]);
  await run(lead, "team", "send", "crew", "bob", "from the lead's machine");
  await run(other, "team", "send", "crew", "bob", "from another one");
  expect(json(await run(other, "team", "inbox", "crew", "bob", "--json"))).toMatchObject([
    { from: "user", sender: "verified", body: { text: "from the lead's machine" } },
    { from: "user", sender: "unverified", body: { text: "from another one" } },
  ]);
  const kept = join(lead.home, ".troupe/bus");
  for (const name of readdirSync(kept, { recursive: true, encoding: "utf8" }))
    expect(statSync(join(kept, name)).mode & 0o077).toBe(0);
  const status = json(await run(lead, "bus", "status", "--json"));
  expect(status).toMatchObject({ server: { where: `nats://127.0.0.1:${server.port}` }, streams: [{ team: "crew" }] });
  expect(await run(lead, "bus", "status")).toContain("loses power");
  expect((await lead.run(["team", "list"])).stdout).toContain("no teams");
  await run(other, "team", "delete", "crew");
  await server.kill();
  const { code, stderr } = await lead.run(["team", "list", "--bus", server.url]);
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^troupe: Cannot reach the bus at nats:\/\/127[^@]*$/),
  });
});
