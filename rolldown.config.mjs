import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";
import { dts } from "rolldown-plugin-dts";

const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };

/** Not ours to carry, because it differs by platform: found in node_modules when it is used. */
const outside = ["@vscode/ripgrep"];

/** What both builds share. */
const common = {
  platform: "node",
  resolve: { mainFields: ["module", "main"] },
  external: [/^node:/, ...outside],
  transform: { define: { __TROUPE_VERSION__: JSON.stringify(version) } },
};

/** The library. Programs that define tools need the same zod, so it is theirs. */
export const library = defineConfig({
  ...common,
  external: [...common.external, /^zod(?:\/|$)/],
  input: { index: "src/index.ts", testing: "src/testing.ts" },
  output: {
    dir: "dist",
    format: "esm",
    minify,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    cleanDir: true,
  },
});

/** What starts the program. Not a module of the newer kind: Node needs a few milliseconds more to begin with one. */
export const launcher = defineConfig({
  ...common,
  input: { troupe: "src/cli/launch/launch.ts" },
  output: { dir: "dist", format: "cjs", minify, entryFileNames: "[name].cjs" },
});

/**
 * The program, in the one form whose compiled code Node 20 can keep. Code that is run this way cannot import by
 * itself: what it takes from outside comes through a function that the launcher hands in.
 */
const programOutput = {
  dir: "dist",
  format: "cjs",
  minify,
  entryFileNames: "[name].cjs",
  chunkFileNames: "program/[name]-[hash].cjs",
};
const programOptions = {
  ...common,
  input: { program: "src/cli/launch/main.ts" },
  plugins: [
    { name: "import-through-launcher", transform: { filter: { id: /\/(?:src|demo)\// }, handler: throughLauncher } },
  ],
};
export const program = defineConfig({ ...programOptions, output: programOutput });

/** The same with these modules in one file: every file more that a start has to read costs time. */
export const programWith = (together) =>
  defineConfig({
    ...programOptions,
    plugins: [...programOptions.plugins, { name: "for-the-launcher", generateBundle: forLauncher }],
    checks: { ineffectiveDynamicImport: false },
    preserveEntrySignatures: "allow-extension",
    output: {
      ...programOutput,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: "run", test: (id) => together.has(id) }],
      },
    },
  });

/**
 * The terminal UI, which waits for a part of it while it loads: only a module of the newer kind can do that. Ink would draw
 * nothing before the end wherever a variable CI is set; whether there is a terminal is for us to say.
 */
export const face = defineConfig({
  ...common,
  transform: { define: { ...common.transform.define, "process.env.NODE_ENV": '"production"' } },
  input: { tui: "src/tui/index.ts" },
  plugins: [
    { name: "no-devtools-asked", transform: { filter: { id: /ink\/build\/utils\.js$/ }, handler: withoutDevtools } },
    { name: "never-in-ci", load: { filter: { id: /is-in-ci\/index\.js$/ }, handler: () => "export default false;" } },
    { name: "no-devtools", load: { filter: { id: /ink\/build\/devtools\.js$/ }, handler: () => "export {};" } },
  ],
  output: {
    dir: "dist",
    format: "esm",
    minify,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  },
});

/** The declarations of the library, rolled up so that they name only zod and Node. The compiler wrote them before. */
export const declarations = defineConfig({
  input: { index: "dist/declarations/index.d.ts", testing: "dist/declarations/testing.d.ts" },
  external: [/^[^./]/],
  checks: { pluginTimings: false },
  plugins: [dts({ dtsInput: true })],
  output: { dir: "dist/types", format: "esm", entryFileNames: "[name].ts", chunkFileNames: "shared.d.ts" },
});

/** Ink would connect to a debugger wherever a variable DEV happens to be set. */
function withoutDevtools(code) {
  const without = code.replace(/process\.env\[['"]DEV['"]\] === ['"]true['"]/, "false");
  if (without === code) throw new Error("ink/build/utils.js no longer asks for DEV as it did: look at it again");
  return without;
}

function throughLauncher(code) {
  const names = outside.map((name) => `"${name}"`).join("|");
  const withFace = code.replaceAll('import("../../tui/index.ts")', '__troupeImport("./tui.js")');
  return withFace.replace(new RegExp(`\\bimport\\((?=(?:/\\*[^*]*\\*/ )?(?:url\\)|${names}))`, "g"), "__troupeImport(");
}

/**
 * Each file is the function that the launcher calls, in ASCII: V8 then keeps one byte for each character instead of two,
 * and nothing has to be decoded or put together at the start.
 */
function forLauncher(_options, bundle) {
  for (const chunk of Object.values(bundle)) {
    if (chunk.type !== "chunk") continue;
    const raw = /String\.raw`[^`]*[\u0080-\uffff]/.exec(chunk.code);
    if (raw) throw new Error(`a raw string means something else once it is escaped: ${raw[0]}`);
    const ascii = chunk.code.replace(
      /[\u0080-\uffff]/g,
      (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    chunk.code = `(function (exports, require, module, __filename, __dirname, __troupeImport) {${ascii}\n})`;
  }
}

export default [library, launcher, program, face];
