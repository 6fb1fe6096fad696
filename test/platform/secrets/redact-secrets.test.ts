import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactStream, redactionMarksIn, redactSecrets } from "../../../src/platform/index.ts";

const letters = "abcdefghijklmnopqrstuvwxyz";
const alphanumeric = `${letters}${letters.toUpperCase()}0123456789`;
const from = (characters: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...characters.split("")), minLength: length, maxLength: length });
/** A text of this length with a letter and a digit in it, as real keys have. */
const body = (length: number, characters = alphanumeric) => from(characters, length - 2).map((text) => `${text}x7`);
const base64 = `${alphanumeric}+/`;

/** The form of each kind of key. Samples are built here so that no key is in this file. */
const keys: Readonly<Record<string, fc.Arbitrary<string>>> = {
  anthropic: body(95, `${alphanumeric}_-`).map((text) => `sk-ant-api03-${text}`),
  "openai, old": body(48).map((text) => `sk-${text}`),
  "openai, project": body(120, `${alphanumeric}_-`).map((text) => `sk-proj-${text}`),
  openrouter: from("0123456789abcdef", 64).map((text) => `sk-or-v1-${text}`),
  "github, classic": fc.tuple(fc.constantFrom("p", "o", "u", "s", "r"), body(36)).map(([k, text]) => `gh${k}_${text}`),
  "github, fine": fc.tuple(body(22), body(59)).map(([a, b]) => `github_pat_${a}_${b}`),
  gitlab: body(20).map((text) => `glpat-${text}`),
  aws: from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16).map((text) => `AKIA${text}`),
  slack: fc.tuple(fc.constantFrom("b", "p", "a"), body(24)).map(([k, text]) => `xox${k}-1234567890-${text}`),
  npm: body(36).map((text) => `npm_${text}`),
  google: body(35, `${alphanumeric}_-`).map((text) => `AIza${text}`),
  huggingface: body(34).map((text) => `hf_${text}`),
  stripe: body(24).map((text) => `sk_live_${text}`),
  sendgrid: fc.tuple(body(22), body(43)).map(([a, b]) => `SG.${a}.${b}`),
  jwt: fc.tuple(body(30), body(60), body(43, `${alphanumeric}_-`)).map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c}`),
};

const around = [
  ["", ""],
  ["key is ", " and so on"],
  ['{"token":"', '"}'],
  ["export K='", "'"],
  ["https://host/path?k=", "&x=1"],
  ["line\\n", "\\nline"],
  ["\u001b[0m ", "\n"],
  ["日本語 ", " 日本語"],
] as const;

describe("a key is fully redacted, wherever it is", () => {
  test.each(Object.entries(keys))("%s", (_, key) => {
    fc.assert(
      fc.property(key, fc.constantFrom(...around), (secret, [before, after]) => {
        const redacted = redactSecrets(`${before}${secret}${after}`);
        expect(redacted).not.toContain(secret.slice(-12));
        expect(redacted).toMatch(/\[redacted: [a-z ]+\]/);
        expect(redacted.startsWith(before.split("=")[0] ?? "")).toBe(true);
        expect(redactSecrets(redacted)).toBe(redacted);
      }),
      { numRuns: 200 },
    );
  });

  test("private keys: complete, numbered by Read, cut off, and in one-line JSON; certificates stay", () => {
    const lines = Array.from({ length: 12 }, (_, index) => `MIIE${String(index).padStart(2, "0")}${"aB3/".repeat(14)}`);
    const begin = "-----BEGIN RSA PRIVATE KEY-----";
    const end = "-----END RSA PRIVATE KEY-----";
    const forms = [
      [begin, ...lines, end].join("\n"),
      [begin, ...lines, end].map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join("\n"),
      [begin, ...lines].join("\n"),
      [begin, ...lines, end].join("\\n"),
    ];
    for (const form of forms) {
      const redacted = redactSecrets(`before ${form}\nafter`);
      for (const line of lines) expect(redacted).not.toContain(line.slice(4, 30));
      expect(redacted).toContain("[redacted: private key]");
      expect(redacted.endsWith("\nafter")).toBe(true);
    }
    const certificate = ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----"].join("\n");
    expect(redactSecrets(certificate)).toBe(certificate);
  });

  test.each([
    ["https://me:s3cr3t@host.example/x", "https://me:[redacted: password]@host.example/x"],
    ["postgres://app:Pa55@10.0.0.1:5432/db", "postgres://app:[redacted: password]@10.0.0.1:5432/db"],
    ["Authorization: Bearer abc123def456ghi789", "Authorization: Bearer [redacted: authorization]"],
    ["GITHUB_TOKEN=abcdefgh12345678", "GITHUB_TOKEN=[redacted: secret]"],
    [
      'aws_secret_access_key = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12"',
      'aws_secret_access_key = "[redacted: aws secret]"',
    ],
  ])("%s", (text, expected) => {
    expect(redactSecrets(text)).toBe(expected);
  });

  test("a known secret without a recognizable form is redacted", () => {
    expect(redactSecrets("it is opensesame-42!", ["opensesame-42"])).toBe("it is [redacted: model key]!");
    expect(redactSecrets("a short one: abc", ["abc"])).toBe("a short one: abc");
  });
});

describe("text without secrets stays unchanged", () => {
  const harmless = [
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "123e4567-e89b-12d3-a456-426614174000",
    "sha512-Ab3dEf0123456789Ab3dEf0123456789Ab3dEf0123456789Ab3dEf0123456789Ab3dEf0123456789==",
    '"integrity": "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="',
    "postgres://postgres:postgres@localhost:5432/app",
    "https://user:${PASSWORD}@host.example",
    "https://user:<password>@host.example",
    "git@github.com:owner/repo.git and ssh://git@host/repo",
    "http://localhost:3000/@scope/package",
    "class='sk-fading-circle-animation-delay-very-long'",
    "task-ant-design-pro-components-and-more-of-them",
    "const apiKey = process.env.API_KEY",
    "API_KEY=process.env.SOMETHING_ELSE_2",
    "TOKEN=",
    "SECRET=$(pass show x/y/z)",
    "PASSWORD=changeme",
    "the ghp_ prefix, sk- keys and npm_ tokens",
    "npm_config_registry npm_lifecycle_event",
    "xoxb-",
    "eyJhbGciOiJIUzI1NiJ9",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "AKIA is how they begin",
  ];
  test.each(harmless)("%s", (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  test("hashes, ids and Base64 of any bytes", () => {
    const hex = from("0123456789abcdef", 40);
    const image = fc
      .uint8Array({ minLength: 100, maxLength: 3000 })
      .map((bytes) => Buffer.from(bytes).toString("base64"));
    fc.assert(
      fc.property(fc.oneof(hex, fc.uuid(), image, from(base64, 200)), (text) => {
        expect(redactSecrets(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

describe("in pieces", () => {
  test("split anywhere, the result equals that of the whole text, and other text is unchanged", () => {
    const line = fc.oneof(
      ...Object.values(keys),
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constant(
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----",
      ),
    );
    const cuts = fc.array(fc.nat(400), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), cuts, (lines, at) => {
        const bytes = Buffer.from(lines.join("\n"));
        const stream = createRedactStream();
        const ends = [...at.filter((end) => end < bytes.length).sort((a, b) => a - b), bytes.length];
        const pieces = ends.map((end, index) => stream.push(bytes.subarray(ends[index - 1] ?? 0, end)));
        const whole = Buffer.concat([...pieces, stream.flush()]).toString("latin1");
        expect(whole).toBe(redactSecrets(bytes.toString("latin1")));
      }),
      { numRuns: 500 },
    );
  });

  test("a line that never ends is still passed on", () => {
    const stream = createRedactStream();
    let passed = 0;
    for (let index = 0; index < 40; index++) passed += stream.push(Buffer.alloc(8192, "a")).length;
    expect(passed).toBeGreaterThan(200_000);
    expect(passed + stream.flush().length).toBe(40 * 8192);
  });
});

test("marks are found again, each once", () => {
  const marked = redactSecrets("a https://u:pw1@h.example b https://u:pw2@h.example");
  expect(redactionMarksIn(marked)).toEqual(["[redacted: password]"]);
});
