#!/usr/bin/env node
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { openCodeCache } from "./code-cache.ts";

// The program is one file that V8 has to compile before it can do anything. What it compiled the last time is kept, and
// saves a third of the time to the first request. Without the cache everything works, only later.
const file = fileURLToPath(new URL("./program.cjs", import.meta.url));
const cache = openCodeCache(file);
const parameters = "exports, require, module, __filename, __dirname, __troupeImport";
const script = new Script(`(function (${parameters}) {${cache.source}\n})`, { filename: file, cachedData: cache.data });
const program: { exports: { main?: () => Promise<void> } } = { exports: {} };
const run = script.runInThisContext() as (...scope: unknown[]) => void;
run(program.exports, createRequire(file), program, file, dirname(file), (specifier: string) => import(specifier));
await program.exports.main?.();
if (!cache.data || script.cachedDataRejected) cache.keep(() => script.createCachedData());
