// `npm run docs [-- FOLDER]`: builds the documentation site, by default where the dashboard serves it.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSite } from "./docs/build-site.mjs";

const target = process.argv[2] ?? fileURLToPath(new URL("../dist/web/docs", import.meta.url));
buildSite(resolve(target));
console.log(`The documentation is in ${resolve(target)}/index.html. 'troupe web' serves it at /docs/index.html.`);
