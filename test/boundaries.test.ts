import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const src = resolve(import.meta.dirname, "../src");

/**
 * Each layer, and the layers below it that it may import. `index.ts` and `testing.ts` are the package's entry points.
 * A worker is a program that starts sessions, so it stands above them; the rest of `remote` stands below.
 */
const below: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  view: ["protocol"],
  platform: ["protocol"],
  model: ["protocol", "platform"],
  store: ["protocol", "platform"],
  tool: ["protocol", "platform"],
  agent: ["protocol", "platform", "model", "store", "tool"],
  team: ["protocol", "platform", "model", "store", "tool", "agent"],
  remote: ["protocol", "platform", "store", "tool", "agent", "team"],
  session: ["protocol", "view", "platform", "model", "store", "tool", "agent", "team", "remote"],
  "remote/worker": ["protocol", "view", "platform", "model", "store", "agent", "team", "session"],
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
    "remote",
    "remote/worker",
    "session",
    "headless",
    "tui",
    "web-server",
    "testing",
  ],
};

const entryPoints = new Set(["index.ts", "testing.ts"]);
/** The program behind `troupe demo` is not part of the product code; the command line loads it when it is asked for. */
const demo = "../demo/run-demo.ts";

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

function imports(): Import[] {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(isSource);
  return files.flatMap((from) => {
    const text = readFileSync(join(src, from), "utf8");
    const statements = text.matchAll(/(?:^(?:import|export)( type)?\b[^"]*?\bfrom|import)\s*\(?\s*"(\.[^"]+)"/gm);
    return [...statements].map(([, type, specifier = ""]) => ({
      from,
      to: relative(src, resolve(src, dirname(from), specifier)),
      isType: type !== undefined,
    }));
  });
}

const isSource = (name: string) => /\.tsx?$/.test(name);

const topOf = (file: string) => file.split("/")[0] as string;

const layerOf = (file: string) => (file.startsWith("remote/worker/") ? "remote/worker" : topOf(file));

test("every folder of src is a layer that this test knows", () => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map((entry) => entry.name).sort()).toEqual([...new Set(Object.keys(below).map(topOf))].sort());
});

test("imports go down only, and through the target's index.ts", () => {
  const wrong = imports().filter(({ from, to }) => {
    if (entryPoints.has(from)) return !to.endsWith("/index.ts") && `${layerOf(to)}.ts` !== from;
    if (topOf(from) === topOf(to) || (from === "cli/program.ts" && to === demo)) return false;
    return !(below[layerOf(from)] ?? []).includes(layerOf(to)) || !to.endsWith("/index.ts");
  });
  expect(wrong).toEqual([]);
});

/**
 * The sub-folders of a layer, and the sub-folders that each may import (`.` is the layer's root). Types count too,
 * except those of the root: `session` passes itself around as a type.
 */
const subfolders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  team: {
    backend: ["teammate"],
    evidence: ["worktree"],
    land: ["worktree"],
    lead: ["backend", "mailbox", "requests", "storage", "watchdog"],
    limits: [],
    mailbox: ["storage"],
    requests: ["mailbox", "tools"],
    storage: ["mailbox"],
    subagents: ["evidence", "limits", "watchdog"],
    teammate: ["evidence", "mailbox", "storage", "watchdog"],
    tools: ["evidence", "subagents"],
    watchdog: [],
    worktree: [],
  },
  session: {
    "agent-runtime": ["hooks", "instructions", "permissions"],
    "agent-types": [
      "config",
      "config/settings",
      "files",
      "hooks",
      "instructions",
      "mcp",
      "permissions",
      "slash-commands",
      "trust",
    ],
    checkpoints: ["config"],
    config: ["agent-types", "config/settings", "hooks", "slash-commands", "telemetry", "trust"],
    "config/settings": ["files"],
    files: [],
    hooks: ["config/settings"],
    inspect: ["config", "hooks"],
    instructions: ["files"],
    // A session of the library, of a teammate and of a worker is started by the root.
    library: [".", "config", "hooks", "trust"],
    mcp: ["config", "config/settings", "files", "slash-commands"],
    observe: ["teams"],
    permissions: ["files"],
    roles: ["agent-runtime", "agent-types", "config", "hooks", "mcp", "permissions", "teams"],
    "slash-commands": ["config", "files", "hooks", "instructions", "permissions", "trust"],
    // The phases of a session's start.
    start: [
      ".",
      "agent-runtime",
      "agent-types",
      "checkpoints",
      "config",
      "hooks",
      "instructions",
      "mcp",
      "observe",
      "permissions",
      "roles",
      "teams",
      "telemetry",
    ],
    subagents: ["agent-runtime", "agent-types", "config", "hooks", "permissions"],
    teams: [".", "agent-runtime", "config", "hooks", "permissions", "subagents"],
    telemetry: [],
    trust: ["config/settings", "files"],
  },
  remote: {
    commits: [],
    jobs: [],
    lead: ["commits", "jobs"],
    worker: ["commits", "jobs"],
  },
};

test.each(Object.keys(subfolders))("sub-folders of %s import only what the table allows", (layer) => {
  const table = subfolders[layer] ?? {};
  const names = Object.keys(table);
  /** The longest sub-folder of the table that a file is in; `.` for the layer's root. */
  const folderOf = (file: string) =>
    names
      .filter((name) => file.startsWith(`${layer}/${name}/`))
      .sort((a, b) => b.length - a.length)
      .at(0) ?? (file.split("/").length === 2 ? "." : file);
  const crossings = imports().filter(({ from, to }) => topOf(from) === layer && topOf(to) === layer);
  const wrong = crossings.filter(({ from, to, isType }) => {
    const [source, target] = [folderOf(from), folderOf(to)];
    if (source === target || source === "." || (target === "." && isType)) return false;
    return !(table[source] ?? []).includes(target);
  });
  expect(wrong).toEqual([]);
  const used = new Set(crossings.map(({ from, to }) => `${folderOf(from)} imports ${folderOf(to)}`));
  const unused = names.flatMap((name) => (table[name] ?? []).map((target) => `${name} imports ${target}`));
  expect(unused.filter((rule) => !used.has(rule))).toEqual([]);
});

test("no folder of the sources has more than 30 files", () => {
  const tops = [src, resolve(import.meta.dirname, "../web/src"), resolve(import.meta.dirname, "../demo")];
  const crowded = tops.flatMap((top) => {
    const counts = new Map<string, number>();
    for (const entry of readdirSync(top, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) counts.set(entry.parentPath, (counts.get(entry.parentPath) ?? 0) + 1);
    return [...counts].filter(([, count]) => count > 30).map(([folder]) => relative(src, folder));
  });
  expect(crowded).toEqual([]);
});

test("a frontend knows of a session only its types", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (name) => layerOf(name) === "tui" && isSource(name),
  );
  const loading = files.filter((name) =>
    /import (?!type )[^;]*from "(?:\.\.\/)+session\/index\.ts"/.test(readFileSync(join(src, name), "utf8")),
  );
  expect(loading).toEqual([]);
});

test("protocol and view run in a browser: they import no node modules and only zod", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (name) => /^(protocol|view)\//.test(name) && isSource(name),
  );
  const foreign = files.flatMap((name) => {
    const text = readFileSync(join(src, name), "utf8");
    return [...text.matchAll(/from "([^".][^"]*)"/g)].map((match) => `${name}: ${match[1]}`);
  });
  expect(foreign.filter((line) => !line.endsWith(": zod"))).toEqual([]);
});

test("environment and standard streams are used only at the edge", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(isSource);
  const touching = files.filter((name) =>
    /\bprocess\.(env|argv|cwd\(|stdout|stderr|stdin)/.test(readFileSync(join(src, name), "utf8")),
  );
  expect(touching.filter((name) => layerOf(name) !== "cli" && !entryPoints.has(name))).toEqual([]);
});

test("no source changes the environment of the process: options travel as values", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(isSource);
  const changing = files.filter((name) =>
    /\bprocess\.env(?:\.\w+|\[[^\]]+\])\s*\??\??=(?!=)|delete process\.env|Object\.assign\(process\.env/.test(
      readFileSync(join(src, name), "utf8"),
    ),
  );
  expect(changing).toEqual([]);
});

test("the dashboard page imports protocol and view through their index, and only packages that run in a browser", () => {
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

test("agent text is never markup in the dashboard", () => {
  const web = resolve(import.meta.dirname, "../web/src");
  const files = readdirSync(web, { recursive: true, encoding: "utf8" }).filter(isSource);
  const risky = files.filter((name) =>
    /dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|new Function|\beval\(/.test(
      readFileSync(join(web, name), "utf8"),
    ),
  );
  expect(risky).toEqual([]);
});

test("no shared test module registers a hook on import: it is loaded once for many files", () => {
  const shared = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((name) => isSource(name) && !/\.test\.tsx?$/.test(name) && !name.startsWith("support/setup/"))
    .filter((name) => /^(after|before)(Each|All)\(/m.test(readFileSync(join(import.meta.dirname, name), "utf8")));
  expect(shared).toEqual([]);
});
