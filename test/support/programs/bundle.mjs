// bundle INPUT OUTPUT: bundles a TypeScript program into plain files that Node runs. OUTPUT is a file, or a folder if
// it ends in "/".
import { rolldown } from "rolldown";

const [input, output] = process.argv.slice(2);
const bundle = await rolldown({
  input,
  platform: "node",
  logLevel: "silent",
  resolve: { mainFields: ["module", "main"] },
  transform: { define: { __TROUPE_VERSION__: JSON.stringify("0.0.0-test") } },
});
const where = output.endsWith("/") ? { dir: output } : { file: output, codeSplitting: false };
await bundle.write({ ...where, format: "esm" });
await bundle.close();
