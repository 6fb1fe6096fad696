import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { alpha, bash, leading, mate, report } from "../../support/team/scripted-team.ts";

/** A server on this machine, outside every sandbox. */
async function server(): Promise<number> {
  const listening = createServer((_, response) => response.end("hello from outside"));
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void listening.close());
  return (listening.address() as AddressInfo).port;
}

/** Requests an address through the sandbox's proxy, like a program that uses HTTP_PROXY. */
const fetching = (port: number) =>
  bash(
    `${process.execPath} -e 'const p = new URL(process.env.HTTP_PROXY); require("http").get({ host: p.hostname, port: p.port, path: "http://127.0.0.1:${port}/" }, (r) => { r.pipe(process.stdout); })'`,
  );

test("teammate's sandboxed command that reaches for a host asks the lead by mail", async () => {
  const [wanted, other] = [await server(), await server()];
  const asked: string[] = [];
  const team = await alpha({
    settings: { sandbox: { mode: "required" } },
    flags: { permissionMode: "acceptEdits" },
    more: {
      asker: async ({ tool, input, member }) => {
        asked.push(`${member?.name} ${tool} ${JSON.stringify(input)}`);
        return JSON.stringify(input).includes(String(wanted))
          ? { behavior: "allow", scope: "once" }
          : { behavior: "deny" };
      },
    },
    answer: leading([{ calls: [mate("scout")] }], ({ results }) =>
      results.length > 0
        ? { text: `came to: ${results.map(({ text }) => text).join(" | ")}` }
        : { calls: [fetching(wanted), fetching(wanted), fetching(other)] },
    ),
  });
  await team.ask("go");
  const { event } = await team.until(report(/came to:/));
  expect(JSON.stringify(event)).toMatch(
    /hello from outside.* \| .*hello from outside.* \| .*127\.0\.0\.1:\d+ was requested, but not allowed/,
  );
  expect(asked.toSorted()).toEqual(
    [wanted, other].map((port) => `scout Sandbox {"host":"127.0.0.1:${port}"}`).toSorted(),
  );
});
