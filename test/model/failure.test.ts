import { describe, expect, test } from "vitest";
import { toFailure } from "../../src/model/failure.ts";
import { readRetryAfter } from "../../src/model/retry-after.ts";

const endpoint = {
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  model: "gpt-5.6-tera",
  secret: "sk-secret",
} as const;
const context = { endpoint, now: 0, streaming: false };
const api = (status: number, error: unknown, headers = {}) =>
  Object.assign(new Error(`${status} ${JSON.stringify(error)}`), { status, error, headers: new Headers(headers) });

describe("messages say what to do", () => {
  test.each([
    [
      api(401, { message: "Incorrect API key provided: sk-secret." }),
      "OpenAI (api.openai.com) did not accept the key (401): Incorrect API key provided: [key]. Check OPENAI_API_KEY.",
    ],
    [
      api(404, { message: "The model does not exist" }),
      "OpenAI (api.openai.com) does not know the model gpt-5.6-tera (404): The model does not exist. Did you mean openai/gpt-5.6-terra?",
    ],
    [
      api(429, { message: "You exceeded your current quota", code: "insufficient_quota" }),
      "OpenAI (api.openai.com) answered 429: You exceeded your current quota. Check the permissions and the credit of the key in OPENAI_API_KEY.",
    ],
    [
      Object.assign(new Error("fetch failed"), { cause: Object.assign(new Error("x"), { code: "CERT_HAS_EXPIRED" }) }),
      "No secure connection to api.openai.com (CERT_HAS_EXPIRED). Check the base URL, the clock and NODE_EXTRA_CA_CERTS.",
    ],
  ])("%s", (error, message) => {
    expect(toFailure(error, context).message).toBe(message);
  });

  test("in one line of limited length", () => {
    const { message } = toFailure(api(400, { message: `a\n${"b".repeat(10_000)}` }), context);
    expect(message).not.toContain("\n");
    expect(message.length).toBeLessThanOrEqual(500);
  });

  test("names the address and setting of a local server", () => {
    const local = { provider: "local", baseUrl: "http://127.0.0.1:11434/v1", model: "qwen3" } as const;
    const refused = new AggregateError([Object.assign(new Error("x"), { code: "ECONNREFUSED" })]);
    const error = Object.assign(new Error("Connection error."), { cause: refused });
    expect(toFailure(error, { ...context, endpoint: local }).message).toBe(
      "Nothing listens on 127.0.0.1:11434 (ECONNREFUSED). Is the server running? Its URL is set in TROUPE_LOCAL_BASE_URL.",
    );
    expect(toFailure(api(404, "model 'qwen3' not found"), { ...context, endpoint: local }).message).toBe(
      "The local server (127.0.0.1:11434) does not know the model qwen3 (404): model 'qwen3' not found. Is it installed on that server? Check the name after local/.",
    );
  });
});

describe("errors for a conversation that is too long", () => {
  test.each([
    [400, { message: "prompt is too long: 210000 tokens > 200000 maximum" }],
    [400, { message: "input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000" }],
    [400, { message: "whatever", code: "context_length_exceeded" }],
    [400, { message: "This model's maximum context length is 8192 tokens" }],
    [400, { message: "the request exceeds the available context size", type: "exceed_context_size_error" }],
    [400, { message: "Input exceeds the model's context window" }],
    [500, { message: "context size exceeded" }],
    [413, undefined],
  ])("%i %j", (status, error) => {
    expect(toFailure(api(status, error), context)).toMatchObject({ kind: "context_overflow", status });
  });

  test("other errors about length do not match", () => {
    const error = { message: "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens" };
    expect(toFailure(api(400, error), context).kind).toBe("bad_request");
  });
});

test("a server that says not to retry is not retried", () => {
  expect(toFailure(api(429, { message: "no" }, { "x-should-retry": "false" }), context).kind).toBe("forbidden");
});

test.each([
  [{ "retry-after": "2" }, 2000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after-ms": "250" }, 250],
  [{ "retry-after": "Thu, 01 Jan 1970 00:00:05 GMT" }, 5000],
  [{ "retry-after": "Wed, 31 Dec 1969 23:59:00 GMT" }, 0],
  [{ "retry-after": "-3" }, undefined],
  [{ "retry-after": "later" }, undefined],
  [{}, undefined],
])("retry-after in %j is %s", (headers, expected) => {
  expect(readRetryAfter(new Headers(headers as Record<string, string>), 0)).toBe(expected);
});
