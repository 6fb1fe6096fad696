import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type AnswerFunction, loadScript, type Script, scriptFrom } from "../model/scripted/index.ts";
import { type Clock, hasErrorCode, systemClock } from "../platform/index.ts";
import { parseJson } from "../protocol/index.ts";
import { createAnswerer } from "./answer-request.ts";
import type { OpenRequest, RecordedRequest } from "./recorded-request.ts";
import type { ServerFault } from "./server-fault.ts";

/** A local server for the providers' protocols. It listens on this machine only. */
export interface ModelServer {
  readonly url: string;
  readonly anthropicBaseUrl: string;
  readonly openaiBaseUrl: string;
  /** Every request that has arrived completely. */
  readonly requests: readonly RecordedRequest[];
  /** The number of requests being answered now. */
  readonly open: number;
  /** Resolves with the request of this number, counted from 1, as soon as it has arrived. */
  arrived(number: number): Promise<RecordedRequest>;
  setScript(script: Script | AnswerFunction): void;
  addFault(fault: ServerFault): void;
  /** The unused steps of the script. */
  unused(): readonly string[];
  /** Requests are still recorded, but wait for `resume` before they are answered. */
  pause(): void;
  resume(): void;
  /** Closes the port and every connection. `listen` opens the same port again. */
  refuse(): Promise<void>;
  listen(): Promise<void>;
  /** Throws an error of the server itself, if there was one. */
  close(): Promise<void>;
}

export interface ModelServerOptions {
  /** A script, or its path. */
  readonly script?: Script | AnswerFunction | string;
  readonly faults?: readonly ServerFault[];
  readonly port?: number;
  readonly clock?: Clock;
  /** The value of `{{cwd}}`. */
  readonly cwd?: string;
  /** The models that `GET /v1/models` lists. */
  readonly models?: readonly string[];
}

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const { clock = systemClock, script = { version: 1 }, cwd } = options;
  const loaded = typeof script === "string" ? await loadScript(script, cwd) : scriptFrom(script, "of the server");
  const answerer = createAnswerer({
    script: loaded,
    clock,
    cwd,
    faults: [...(options.faults ?? [])],
    models: options.models ?? ["scripted"],
  });
  const requests: OpenRequest[] = [];
  const waiting = new Set<() => void>();
  const errors: unknown[] = [];
  let paused: ReturnType<typeof deferred> | undefined;
  let open = 0;
  let port = options.port ?? 0;

  const server = createServer((request, response) => {
    open += 1;
    handle(request, response)
      .catch((error: unknown) => {
        errors.push(error);
        response.destroy();
      })
      .finally(() => (open -= 1));
  });
  server.requestTimeout = 0;
  await listen();
  const url = `http://127.0.0.1:${port}`;

  return {
    url,
    anthropicBaseUrl: url,
    openaiBaseUrl: `${url}/v1`,
    requests,
    get open() {
      return open;
    },
    arrived: (number) =>
      new Promise((resolve) => {
        const look = () => {
          const found = requests[number - 1];
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    setScript: (next) => answerer.setScript(scriptFrom(next, "of the server")),
    addFault: (fault) => answerer.addFault(fault),
    unused: () => answerer.unused(),
    pause() {
      if (paused) return;
      paused = deferred();
    },
    resume() {
      paused?.resume();
      paused = undefined;
    },
    refuse: () => stop(server),
    listen,
    async close() {
      paused?.resume();
      if (server.listening) await stop(server);
      if (errors.length > 0) throw new AggregateError(errors, "the model server itself failed");
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on("close", () => gone.abort(new Error("the client has disconnected")));
    const rawBody = await readBody(request);
    if (!rawBody) return;
    const recorded: OpenRequest = {
      number: requests.length + 1,
      method: request.method ?? "",
      path: new URL(request.url ?? "/", "http://127.0.0.1").pathname,
      headers: request.headers,
      rawBody,
      body: parseJson(rawBody.toString("utf8")),
      at: clock.now(),
      end: "open",
    };
    requests.push(recorded);
    for (const look of waiting) look();
    await paused?.promise;
    try {
      recorded.end = await answerer.answer(recorded, response, gone.signal);
    } catch (error) {
      // A write may fail before the end of the connection is reported.
      if (!gone.signal.aborted && !hasErrorCode(error, "ECONNRESET", "EPIPE", "ERR_STREAM_DESTROYED")) throw error;
      recorded.end = "left";
    }
  }

  function listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => {
        server.off("error", reject);
        ({ port } = server.address() as AddressInfo);
        resolve();
      });
    });
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resume: () => void } {
  let resume: (() => void) | undefined;
  const promise = new Promise<void>((resolve) => {
    resume = resolve;
  });
  return { promise, resume: () => resume?.() };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}

/** Undefined if the client disconnected before the end of the body. */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", () => resolve(undefined));
    request.on("close", () => resolve(undefined));
  });
}
