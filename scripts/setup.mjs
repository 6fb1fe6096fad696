// Prepares a fresh checkout: packages and build. Does nothing if both are ready.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

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
  // registry does not have all of them. This command installs the locked versions, writes nothing, and builds through
  // `prepare`.
  npm("install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error");
} else if (!isBuilt()) {
  npm("run", "--silent", "build");
}

function npm(...args) {
  execFileSync("npm", args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
}

function isBuilt() {
  const built = join(root, "dist", "troupe.cjs");
  if (!existsSync(built)) return false;
  const time = statSync(built).mtimeMs;
  if (!existsSync(join(root, "dist", "web", "index.html"))) return false;
  return !["src", "demo", "web"].some((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).some(
      (entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).mtimeMs > time,
    ),
  );
}
