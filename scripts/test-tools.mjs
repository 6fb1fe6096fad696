import { spawnSync } from "node:child_process";

/** Programs that the tests need in addition to npm packages: a command (or alternatives) and its Debian package. */
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

/** Installs missing programs if it may; otherwise prints what to install and stops. Nothing is skipped silently. */
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
    `the tests need ${packages.join(", ")}. Install them (for example: sudo apt-get install ${packages.join(" ")}) and run this again.`,
  );
  process.exit(2);
}

const isThere = (command) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
