import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The licence texts of the packages whose code is in these bundles. Throws if a package names no licence. */
export function licencesOf(bundles) {
  const modules = bundles.flatMap(({ output }) => output.flatMap((chunk) => chunk.moduleIds ?? []));
  const folders = new Set(modules.flatMap((id) => packageFolder(id) ?? []));
  const parts = [...folders].map(licenceOf).sort((a, b) => (a.name < b.name ? -1 : 1));
  const texts = parts.map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}\n`);
  return `Troupe contains code of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** The folder of the package that a module belongs to. Undefined for a module of this repository. */
function packageFolder(id) {
  const path = id.replace(/^[^/]*(?=\/)/, "").replace(/\?.*$/, "");
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${folder.slice(root.length + 1)} names no licence. Look at it.`);
  const files = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file))
    .sort();
  const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n\n");
  return {
    name,
    version,
    license,
    text: text === "" ? `The package has no licence file. Its licence is ${license}.` : text,
  };
}
