#!/usr/bin/env node
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { Script } from "node:vm";
import { openCodeCache } from "./code-cache.ts";

// V8 must compile the program before it can run. The cached code saves a third of the time to the first request.
// Everything works without the cache, only more slowly.
const entry = join(__dirname, "program.cjs");
const cache = openCodeCache(entry, process.argv.slice(2));
const requireExternal = createRequire(entry);
const importExternal = (specifier: string) => import(specifier);
const loaded = new Map<string, { exports: unknown }>();

/**
 * Loads a file of the program on demand. The build wraps each file into a function in ASCII; V8 compiles it with its
 * cached code.
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
