import { memorySessionDirectory, sessionId } from "./memory-session-directory.ts";
import { type RawRequest, serve, type Served } from "./serve-app.ts";

export const session = sessionId(1);

export async function served(options: Parameters<typeof serve>[0] = {}): Promise<Served> {
  const sessionDirectory = memorySessionDirectory();
  sessionDirectory.add({ id: session });
  return serve({ sessionDirectory, ...options });
}

/** The request that our own page sends for a command. */
export const command = ({ port, cookie }: Served, change: RawRequest = {}): RawRequest => ({
  method: "POST",
  target: "/api/command",
  body: JSON.stringify({ session, command: { type: "prompt", content: "do it" } }),
  ...change,
  headers: {
    cookie,
    origin: `http://127.0.0.1:${port}`,
    "content-type": "application/json",
    "sec-fetch-site": "same-origin",
    ...change.headers,
  },
});
