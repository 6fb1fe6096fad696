import { defineConfig } from "vite";

/** The same page in one script and one style sheet, for an exported file with an embedded session. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  oxc: { jsx: { runtime: "automatic" } },
  build: {
    outDir: "../dist/web-export",
    emptyOutDir: true,
    target: "es2023",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    cssCodeSplit: false,
    assetsInlineLimit: 1_000_000,
    modulePreload: false,
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
    rolldownOptions: {
      input: "src/export/export-main.tsx",
      output: { codeSplitting: false, entryFileNames: "export.js", assetFileNames: "export[extname]" },
    },
  },
});
