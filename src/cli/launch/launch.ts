#!/usr/bin/env node
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { Script } from "node:vm";
import { openCodeCache } from "./code-cache.ts";

// V8 has to compile the program before it can do anything. What it compiled the last time is kept, and saves a third of the
// time to the first request. Without the cache everything works, only later.
const entry = join(__dirname, "program.cjs");
const cache = openCodeCache(entry, process.argv.slice(2));
const requireExternal = createRequire(entry);
const importExternal = (specifier: string) => import(specifier);
const loaded = new Map<string, { exports: unknown }>();

/**
 * The program is cut into files that are loaded when they are needed; each is a function in ASCII, as the build has made
 * it, and is compiled with what is kept of it.
 */
function load(file: string): unknown {
  const known = loaded.get(file);
  if (known) return known.exports;
  const { source, data } = cache.read(file);
  const script = new Script(source, { filename: file, cachedData: data });
  cache.compiled(file, { isNew: !data || script.cachedDataRejected === true, make: () => script.createCachedData() });
  const module = { exports: {} };
  loaded.set(file, module);
  const requireModule = (id: string): unknown =>
    id.startsWith(".") ? load(resolve(dirname(file), id)) : requireExternal(id);
  const run = script.runInThisContext() as (...scope: unknown[]) => void;
  run(
    module.exports,
    Object.assign(requireModule, { resolve: requireExternal.resolve }),
    module,
    file,
    dirname(file),
    importExternal,
  );
  return module.exports;
}

const { main } = load(entry) as { main: () => Promise<void> };
void main().then(() => cache.write({ complete: process.exitCode === 0 }));
