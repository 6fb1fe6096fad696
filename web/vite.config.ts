import { defineConfig } from "vite";

/** The page is served from the package by the program itself, under a policy that allows no inline script or style. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2023",
    // `light-dark()` as it is: the browsers that the page is for have it.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // In one file, so that zod is told to make no code before any other file makes a schema. (`sideEffects` of the package
    // says that this import is there for what it does.)
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: "zod", test: /node_modules\/zod\/|\/without-eval\.ts$/ }] } },
    },
  },
});
