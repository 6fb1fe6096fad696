import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expandVariables } from "../../../src/tool/mcp/expand-variables.ts";
import { createLineSplitter } from "../../../src/tool/mcp/line-splitter.ts";
import { McpServerConfig } from "../../../src/tool/mcp/server-config.ts";
import { serverNames, toolNames } from "../../../src/tool/mcp/tool-name.ts";

const anyName = fc.oneof(
  fc.string({ maxLength: 90 }),
  fc.string({ unit: fc.constantFrom("a", "A", "_", "-", ".", " ", "é"), minLength: 1, maxLength: 8 }),
);

test("any names become safe and unique, and no rule of one server matches another's tools", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyName, { maxLength: 8 }),
      fc.uniqueArray(anyName, { maxLength: 8 }),
      (servers, tools) => {
        const safe = [...serverNames(servers).values()];
        const all = safe.flatMap((server) => [...toolNames(server, tools).values()].map((name) => ({ server, name })));
        const lower = all.map(({ name }) => name.toLowerCase());
        expect(new Set(lower).size).toBe(servers.length * tools.length);
        for (const { server, name } of all) {
          expect(name).toMatch(/^mcp__[A-Za-z0-9_-]+$/);
          expect(name.length).toBeLessThanOrEqual(64);
          const owners = safe.filter((other) => name.startsWith(`mcp__${other}__`));
          expect(owners).toEqual([server]);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("plain names stay unchanged", () => {
  expect([...serverNames(["github", "my-db"]).values()]).toEqual(["github", "my-db"]);
  expect(toolNames("github", ["create_issue"]).get("create_issue")).toBe("mcp__github__create_issue");
});

test("variables are replaced by their value or default; missing ones are named", () => {
  const config = McpServerConfig.parse({
    command: "${TOOL:-npx}",
    args: ["--key", "${KEY}", "$KEY", "${EMPTY:-otherwise}"],
    env: { TOKEN: "Bearer ${KEY}${GONE}" },
  });
  const filled = expandVariables(config, { KEY: "k", EMPTY: "" });
  expect(filled.config).toMatchObject({
    command: "npx",
    args: ["--key", "k", "$KEY", "otherwise"],
    env: { TOKEN: "Bearer k" },
  });
  expect(filled.missing).toEqual(["GONE"]);
  const remote = McpServerConfig.parse({ url: "https://${HOST}/mcp", headers: { Authorization: "${A}" } });
  expect(expandVariables(remote, { HOST: "h", A: "b" }).config).toMatchObject({
    type: "http",
    url: "https://h/mcp",
    headers: { Authorization: "b" },
  });
});

test("lines are split the same for any chunks, and none beyond the limit is kept", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme", maxLength: 40 })),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (lines, sizes) => {
        const plain = lines.map((line) => line.replaceAll("\n", ""));
        const bytes = Buffer.from(plain.map((line) => `${line}\n`).join(""));
        const seen: string[] = [];
        const push = createLineSplitter({
          limit: 60,
          onLine: (line) => seen.push(line),
          onOverlong: () => seen.push("long"),
        });
        for (let at = 0; at < bytes.length; ) {
          const size = sizes.next().value as number;
          push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(seen).toEqual(
          plain.filter((line) => line !== "").map((line) => (Buffer.byteLength(line) > 60 ? "long" : line)),
        );
      },
    ),
  );
});
