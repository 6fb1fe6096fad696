import { spawnSync } from "node:child_process";

/** What the tests use beyond npm's packages: command, or commands of which one will do, and Debian's package for it. */
const tools = [
  ["git", "git"],
  ["strace", "strace"],
  ["tmux", "tmux"],
  ["rg", "ripgrep"],
  ["bwrap", "bubblewrap"],
  ["unshare", "util-linux"],
  ["script", "bsdutils"],
  ["chromium chromium-browser google-chrome", "chromium"],
  ["nats-server", "nats-server"],
  ["ip", "iproute2"],
  ["openssl", "openssl"],
];

/** Installs what is missing when it may, and otherwise says what to install and stops. Nothing is skipped quietly. */
export function installTools() {
  const missing = tools.filter(([commands]) => !commands.split(" ").some(isThere));
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name);
  const mayInstall = process.getuid?.() === 0 && isThere("apt-get");
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

const isThere = (command) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
