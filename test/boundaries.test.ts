import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const src = resolve(import.meta.dirname, "../src");

/** Who may import whom: each layer, and the layers below it that it may reach. `index.ts` and `testing.ts` are the package's doors. */
const below: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  view: ["protocol"],
  platform: ["protocol"],
  model: ["protocol", "platform"],
  store: ["protocol", "platform"],
  tool: ["protocol", "platform"],
  agent: ["protocol", "platform", "model", "store", "tool"],
  team: ["protocol", "platform", "model", "store", "tool", "agent"],
  session: ["protocol", "view", "platform", "model", "store", "tool", "agent", "team"],
  testing: ["protocol", "platform", "model"],
  acp: ["protocol", "view", "session"],
  "mcp-server": ["protocol", "platform", "store", "tool", "agent", "team"],
  headless: ["protocol", "view", "session"],
  tui: ["protocol", "view", "session"],
  "web-server": ["protocol", "view", "session"],
  cli: [
    "acp",
    "mcp-server",
    "protocol",
    "view",
    "platform",
    "model",
    "store",
    "tool",
    "team",
    "session",
    "headless",
    "tui",
    "web-server",
    "testing",
  ],
};

const doors = new Set(["index.ts", "testing.ts"]);

/** The program behind `troupe demo` is not part of the product code; the command line loads it when it is asked for. */
const demo = "../demo/run-demo.ts";

interface Import {
  readonly from: string;
  readonly to: string;
}

function imports(): Import[] {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(isSource);
  return files.flatMap((from) => {
    const text = readFileSync(join(src, from), "utf8");
    const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) => match[1] as string);
    return specifiers.map((specifier) => ({ from, to: relative(src, resolve(src, dirname(from), specifier)) }));
  });
}

const isSource = (name: string) => /\.tsx?$/.test(name);

const layerOf = (file: string) => file.split("/")[0] as string;

test("every folder of src is a layer that this test knows", () => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map((entry) => entry.name).sort()).toEqual(Object.keys(below).sort());
});

test("imports go down only, and through the target's index.ts", () => {
  const wrong = imports().filter(({ from, to }) => {
    if (doors.has(from)) return !to.endsWith("/index.ts") && `${layerOf(to)}.ts` !== from;
    if (layerOf(from) === layerOf(to) || (from === "cli/program.ts" && to === demo)) return false;
    return !(below[layerOf(from)] ?? []).includes(layerOf(to)) || !to.endsWith("/index.ts");
  });
  expect(wrong).toEqual([]);
});

test("a face knows of a session what its types say", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (name) => layerOf(name) === "tui" && isSource(name),
  );
  const loading = files.filter((name) =>
    /import (?!type )[^;]*from "\.\.\/session\/index\.ts"/.test(readFileSync(join(src, name), "utf8")),
  );
  expect(loading).toEqual([]);
});

test("protocol and view run in a browser: they import nothing of node's and only zod of others", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (name) => /^(protocol|view)\//.test(name) && isSource(name),
  );
  const foreign = files.flatMap((name) => {
    const text = readFileSync(join(src, name), "utf8");
    return [...text.matchAll(/from "([^".][^"]*)"/g)].map((match) => `${name}: ${match[1]}`);
  });
  expect(foreign.filter((line) => !line.endsWith(": zod"))).toEqual([]);
});

test("the environment and standard streams are touched at the edge only", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(isSource);
  const touching = files.filter((name) =>
    /\bprocess\.(env|argv|cwd\(|stdout|stderr|stdin)/.test(readFileSync(join(src, name), "utf8")),
  );
  expect(touching.filter((name) => layerOf(name) !== "cli" && !doors.has(name))).toEqual([]);
});

test("the page imports protocol and view through their doors, and of others only what runs in a browser", () => {
  const web = resolve(import.meta.dirname, "../web/src");
  const files = readdirSync(web, { recursive: true, encoding: "utf8" }).filter(isSource);
  const allowed = new Set(["react", "react-dom/client", "marked", "@tanstack/react-virtual", "zod"]);
  const wrong = files.flatMap((name) => {
    const text = readFileSync(join(web, name), "utf8");
    const imported = text.matchAll(/^(?:(?:import|export)\b[^"]*\sfrom |import )"([^"]+)";|\bimport\("([^"]+)"\)/gm);
    return [...imported].flatMap(([, stated, loaded]) => {
      const specifier = stated ?? loaded ?? "";
      if (!specifier.startsWith(".")) return allowed.has(specifier) ? [] : [`${name}: ${specifier}`];
      const to = relative(web, resolve(web, dirname(name), specifier));
      const isOwn = !to.startsWith("..");
      return isOwn || to === "../../src/protocol/index.ts" || to === "../../src/view/index.ts"
        ? []
        : [`${name}: ${to}`];
    });
  });
  expect(wrong).toEqual([]);
});

test("what agents say is never markup in the page", () => {
  const web = resolve(import.meta.dirname, "../web/src");
  const files = readdirSync(web, { recursive: true, encoding: "utf8" }).filter(isSource);
  const risky = files.filter((name) =>
    /dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|new Function|\beval\(/.test(
      readFileSync(join(web, name), "utf8"),
    ),
  );
  expect(risky).toEqual([]);
});

test("no module that tests share registers a hook when it is loaded: it is loaded once for many files", () => {
  const shared = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((name) => isSource(name) && !/\.test\.tsx?$/.test(name) && !name.startsWith("support/setup/"))
    .filter((name) => /^(after|before)(Each|All)\(/m.test(readFileSync(join(import.meta.dirname, name), "utf8")));
  expect(shared).toEqual([]);
});
