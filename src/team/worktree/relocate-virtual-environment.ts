import { existsSync } from "node:fs";
import { lstat, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ifPresent } from "../../platform/index.ts";

/**
 * Changes the absolute paths in a copied Python environment from one checkout to the other: in its scripts, and in the
 * files that name the project as an editable package. Without this `.venv/bin/pip` would install into the environment
 * that was copied. Does nothing for other folders.
 */
export async function relocateVirtualEnvironment(
  folder: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  if (!existsSync(join(folder, "pyvenv.cfg"))) return;
  const libraries = (await names(join(folder, "lib"))).map((name) => join(folder, "lib", name, "site-packages"));
  const files = [
    join(folder, "pyvenv.cfg"),
    ...(await names(join(folder, "bin"))).map((name) => join(folder, "bin", name)),
  ];
  for (const library of libraries) {
    const named = (await names(library)).filter((name) => /^__editable__|\.(pth|egg-link)$/.test(name));
    files.push(...named.map((name) => join(library, name)));
  }
  for (const file of files) await replaceIn(file, `${from}/`, `${to}/`);
  // A file that names the project folder itself, at the end of a line.
  for (const file of files) await replaceIn(file, `${from}\n`, `${to}\n`);
}

async function names(folder: string): Promise<string[]> {
  return (await ifPresent(() => readdir(folder), { action: "read", path: folder })) ?? [];
}

async function replaceIn(path: string, old: string, replacement: string): Promise<void> {
  const stats = await lstat(path);
  if (!stats.isFile() || stats.size > maxBytes) return;
  const text = await readFile(path, "latin1");
  const [before, after] = [Buffer.from(old).toString("latin1"), Buffer.from(replacement).toString("latin1")];
  if (text.includes("\0") || !text.includes(before)) return;
  await writeFile(path, text.replaceAll(before, after), "latin1");
  await utimes(path, stats.atime, stats.mtime);
}

/** Larger files are programs. */
const maxBytes = 1024 * 1024;
