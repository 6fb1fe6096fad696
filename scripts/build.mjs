// `npm run build`: dist/, quietly. Type declarations come from the compiler itself.
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import configs from "../rolldown.config.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
for (const config of configs) {
  const bundle = await rolldown(Object.assign({}, config, { cwd: root }));
  await bundle.write(config.output);
  await bundle.close();
}
const compiler = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
