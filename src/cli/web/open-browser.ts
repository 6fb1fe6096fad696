import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, writeFileAtomic } from "../../platform/index.ts";

export interface BrowserOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly onProblem: (message: string) => void;
}

/**
 * Opens a URL in the user's browser. Other users can see the arguments of a process, so the URL is passed in a file
 * that only the user can read. Returns a function that removes the file, or undefined if there is no display.
 */
export async function openBrowser(
  address: string,
  options: BrowserOptions,
): Promise<(() => Promise<void>) | undefined> {
  const { home, env, platform, onProblem } = options;
  const hasScreen = platform === "darwin" || env["DISPLAY"] || env["WAYLAND_DISPLAY"];
  if (!hasScreen) return undefined;
  const file = join(await makeFolder(join(home, "web")), `open-${new URL(address).port}.html`);
  await writeFileAtomic(file, redirectPage(address));
  const opener = spawn(platform === "darwin" ? "open" : "xdg-open", [file], { stdio: "ignore", detached: true, env });
  opener.on("error", ({ message }) => onProblem(`cannot open a browser (${message}). Open the URL yourself.`));
  opener.unref();
  return () => rm(file, { force: true });
}

const redirectPage = (address: string) =>
  `<!doctype html>\n<meta charset="utf-8">\n<meta name="referrer" content="no-referrer">\n<meta http-equiv="refresh" content="0; url=${address.replaceAll("&", "&amp;")}">\n<title>Troupe</title>\n`;
