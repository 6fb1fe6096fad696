import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { onTestFinished } from "vitest";

/** A real browser without a window, gone when the test is over. */
export async function launchChromium({ args = [] }: { readonly args?: readonly string[] } = {}): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-gpu", ...args],
  });
  onTestFinished(() => browser.close());
  return browser;
}

function findChromium(): string {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (found === undefined) throw new Error("these tests need chromium: install it (apt-get install chromium)");
  return found;
}
