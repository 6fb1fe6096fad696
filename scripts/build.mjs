// `npm run build`: writes dist/ without output. The compiler creates the type declarations, which are then rolled up.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { build as buildPage } from "vite";
import { buildSite } from "./docs/build-site.mjs";
import { licencesOf } from "./third-party-licences.mjs";
import { declarations, face, launcher, library, program, programWith } from "../rolldown.config.mjs";

// Builds are always for users, even when a test runner starts them.
process.env.NODE_ENV = "production";
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bundles = [await build(library, "write"), await build(launcher, "write"), await build(face, "write")];
const { output } = await build(program, "generate");
bundles.push(await build(programWith(neededByEveryRun(output)), "write"));
for (const config of ["vite.config.ts", "vite.export.config.ts"])
  bundles.push(await buildPage({ configFile: join(root, "web", config), logLevel: "warn" }));
writeFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), licencesOf(bundles.flat()));
buildSite(join(root, "dist/web/docs"));
const compiler = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
await build(declarations, "write");
rmSync(join(root, "dist/declarations"), { recursive: true });

async function build(config, how) {
  const bundle = await rolldown(Object.assign({}, config, { cwd: root }));
  try {
    return await bundle[how](config.output);
  } finally {
    await bundle.close();
  }
}

/** The modules that every `troupe -p` run loads, except those that the command line has loaded before. */
function neededByEveryRun(output) {
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const reached = (fileName, seen = new Set()) => {
    const chunk = chunks.get(fileName);
    if (chunk === undefined || seen.has(chunk)) return seen; // undefined: a module of Node itself
    seen.add(chunk);
    for (const next of chunk.imports) reached(next, seen);
    return seen;
  };
  const run = output.find((chunk) => chunk.facadeModuleId?.endsWith("/src/cli/run/run-print.ts"));
  const before = reached("program.cjs");
  const chosen = [...reached(run.fileName)].filter((chunk) => !before.has(chunk));
  return new Set(chosen.flatMap((chunk) => chunk.moduleIds));
}
