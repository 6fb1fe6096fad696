import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { onTestFinished } from "vitest";
import { onFileFinished } from "../setup/on-file-finished.ts";

let shared: Browser | undefined;

/**
 * A real headless browser. Its contexts are closed with the test. A browser with arguments is closed too; otherwise the
 * next test of the file uses it again, because contexts are isolated.
 */
export async function launchChromium({ args = [] }: { readonly args?: readonly string[] } = {}): Promise<Browser> {
  if (args.length > 0) {
    const own = await launch(args);
    onTestFinished(() => own.close());
    return own;
  }
  if (!shared?.isConnected()) {
    const launched = await launch([]);
    onFileFinished(() => launched.close());
    shared = launched;
  }
  const browser = shared;
  onTestFinished(async () => void (await Promise.all(browser.contexts().map((context) => context.close()))));
  return browser;
}

const launch = (args: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-gpu", `--disable-features=${withoutFeatures.join(",")}`, ...args],
  });

/**
 * The address bar has two pages. Each window starts a process for each of them, which costs more than the
 * page under test. The second half repeats what Playwright disables and this machine would use: the last list counts.
 */
const withoutFeatures = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

function findChromium(): string {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (found === undefined) throw new Error("these tests need chromium: install it (apt-get install chromium)");
  return found;
}
