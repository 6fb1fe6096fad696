import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { parseToolInput } from "../../src/model/tool-input.ts";
import { maxAnswerBytes, maxLineBytes, watchedFetch } from "../../src/model/watched-fetch.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const watched = watchedFetch(fetch, () => undefined);
const conversation = { method: "POST", body: "the conversation" };

test("redirect to another host gets nothing, and the error names both hosts", async () => {
  const received: string[] = [];
  const other = await serve((request, response) => {
    received.push(request.url ?? "");
    response.end();
  });
  const first = await serve((_, response) => response.writeHead(307, { location: `${other}/steal` }).end());
  const response = await watched(`${first}/v1`, conversation);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(`redirects to ${new URL(other).host}. The conversation is not sent there.`);
  expect(received).toEqual([]);
});

test("redirect on the same host is followed with the same request", async () => {
  const host = await serve((request, response) => {
    if (request.url === "/old") response.writeHead(308, { location: "/new" }).end();
    else request.pipe(response);
  });
  expect(await (await watched(`${host}/old`, conversation)).text()).toBe("the conversation");
});

test("answer without end, a bomb and a huge event end in an error that is not tried again", async () => {
  const line = Buffer.from(`data: ${"x".repeat(65_000)}\n`);
  const endless = await serve((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(line));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  });
  const bomb = gzipSync(Buffer.alloc(maxAnswerBytes + 1, "\n"));
  const bombed = await serve((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
  const long = await serve((_, response) => response.end(Buffer.alloc(maxLineBytes + 1, "x")));
  for (const [url, reason] of [
    [endless, "The answer is larger"],
    [bombed, "The answer is larger"],
    [long, "An event is larger"],
  ] as const) {
    const reading = watched(url).then(async (response) => {
      for await (const chunk of response.body ?? []) void chunk;
    });
    await expect(reading).rejects.toMatchObject({ status: 400, message: expect.stringContaining(reason) as string });
  }
});

test("tool input that is nested very deep becomes a text, which no tool takes", () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  expect(parseToolInput(nested(100))).toHaveProperty("a");
  expect(parseToolInput(nested(5000))).toBe("(not read: the input is nested deeper than 200 levels)");
});
