import { spawnSync } from "node:child_process";

/** What the tests use beyond npm's packages: command, and Debian's package for it. */
const tools = [
  ["git", "git"],
  ["strace", "strace"],
  ["tmux", "tmux"],
  ["rg", "ripgrep"],
  ["bwrap", "bubblewrap"],
  ["unshare", "util-linux"],
  ["script", "bsdutils"],
  ["nats-server", "nats-server"],
];

/** Installs what is missing when it may, and otherwise says what to install and stops. Nothing is skipped quietly. */
export function installTools() {
  const missing = tools.filter(([command]) => spawnSync("sh", ["-c", `command -v ${command}`]).status !== 0);
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name);
  const mayInstall = process.getuid?.() === 0 && spawnSync("sh", ["-c", "command -v apt-get"]).status === 0;
  if (mayInstall) {
    console.error(`installing what the tests need: ${packages.join(", ")}`);
    spawnSync("apt-get", ["update", "-qq"], { stdio: ["ignore", "ignore", "inherit"] });
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const { status } = spawnSync("apt-get", ["install", "-y", "-qq", ...packages], {
      stdio: ["ignore", "ignore", "inherit"],
      env,
    });
    if (status === 0) return;
  }
  console.error(
    `the tests need ${packages.join(", ")}: install them (for example: sudo apt-get install ${packages.join(" ")}) and run this again`,
  );
  process.exit(2);
}
