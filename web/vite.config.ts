import { defineConfig } from "vite";

/** Troupe serves the page from the package, under a policy that allows no inline scripts or styles. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2023",
    // Keeps `light-dark()`: the supported browsers have it.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // One chunk, so that zod's code generation is off before any other file creates a schema. (`sideEffects` of the
    // package keeps this import.)
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: "zod", test: /node_modules\/zod\/|\/disable-zod-eval\.ts$/ }] } },
    },
  },
});
