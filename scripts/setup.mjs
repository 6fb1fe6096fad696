// Prepares a fresh checkout: packages and build. Does nothing if both are ready.
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isBuilt } from "./is-built.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`troupe needs Node 20.19 or newer; this is ${process.version}`);
  process.exit(2);
}

const installed = join(root, "node_modules", ".package-lock.json");
const lock = join(root, "package-lock.json");
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  // Not `npm ci`: it rejects a lock file without the binaries of other platforms, and npm writes such a file if the
  // registry does not have all of them. This command installs the locked versions and writes nothing.
  npm("install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error");
}
if (!isBuilt()) npm("run", "--silent", "build");

function npm(...args) {
  execFileSync("npm", args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
}
