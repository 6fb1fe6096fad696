import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";

const { version } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));

/** One build for the program and the library: a start-up that reads a few large files beats one that reads hundreds. */
export default defineConfig({
  input: { troupe: "src/cli/main.ts", index: "src/index.ts", testing: "src/testing.ts" },
  platform: "node",
  resolve: { mainFields: ["module", "main"] },
  external: [/^node:/, "@vscode/ripgrep"],
  transform: { define: { __TROUPE_VERSION__: JSON.stringify(version) } },
  output: {
    dir: "dist",
    format: "esm",
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    cleanDir: true,
  },
});
