import { once } from "node:events";
import { createServer } from "node:http";
import { protocols } from "./answers.mjs";

/**
 * A loopback server that plays the model of every program. `decide({ path, body, turn })` gives the answer to a request
 * that belongs to the job; `turn` counts the answers it holds already. Any other request gets a short text.
 * `log` has, for each request of the job, when it arrived and when its answer was sent whole.
 */
export async function startModelServer() {
  let job;
  let count = 0;
  const server = createServer((request, response) => {
    const arrivedAt = performance.now();
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { pathname } = new URL(request.url, "http://localhost");
      const write = protocols[pathname];
      if (request.method !== "POST" || write === undefined) return sendJson(response);
      const text = Buffer.concat(chunks).toString("utf8");
      const body = JSON.parse(text);
      const answer = text.includes(jobMark) ? job?.decide({ body, text, turn: turnsOf(body) }) : undefined;
      if (body.stream !== true) return sendMessage(response);
      const bytes = write(++count, answer ?? { text: "ok" });
      response.writeHead(200, { "content-type": "text/event-stream" });
      const entry = { arrivedAt, answer, text };
      response.end(bytes, () => undefined);
      entry.answeredAt = performance.now();
      if (answer !== undefined) job.log(entry);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Sets the job that the next requests belong to. */
    play: (next) => (job = next),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A request that holds this text is part of the job; other requests ask for a title or a quota. */
export const jobMark = "[[peers-job]]";

function turnsOf(body) {
  if (body.messages) return body.messages.filter(({ role }) => role === "assistant").length;
  return body.input.filter(({ type }) => type === "function_call").length;
}

function sendJson(response) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end('{"data":[],"models":[]}');
}

function sendMessage(response) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const content = [{ type: "text", text: "ok" }];
  const message = { id: "msg_0", type: "message", role: "assistant", model: "bench", content, usage };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...message, stop_reason: "end_turn", stop_sequence: null }));
}
