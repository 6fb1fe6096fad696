import axe from "axe-core";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { launchChromium } from "./launch-chromium.ts";
import type { Running, Workplace } from "../cli/workplace.ts";

/** The dashboard of a session in a real browser. */
export interface DashboardPage {
  readonly page: Page;
  /** Problems in the page: errors, and violations of its content policy. */
  readonly problems: readonly string[];
  /** Opens one of the session's views. */
  go(view: string): Promise<void>;
  /** Violations that axe finds in the current view. */
  violations(): Promise<readonly string[]>;
  /** The number of pixels by which the page is wider than the window. */
  overflow(): Promise<number>;
}

/** Presses two keys until the view opens. On a slow machine the second key may come too late to count as a pair. */
export async function pressPair(page: Page, pair: string, shown: Locator): Promise<void> {
  const isShown = () =>
    shown.waitFor({ timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  do for (const key of pair) await page.keyboard.press(key);
  while (!(await isShown()));
}

export const phone = { viewport: { width: 375, height: 812 } } as const;

/** Opens the address that a run with `--web` has printed. */
export async function openDashboard(running: Running, options: BrowserContextOptions = {}): Promise<DashboardPage> {
  const said = await running.saw(/dashboard of this session: \S+\n/, "stderr");
  const [url = ""] = /http:\S+/.exec(said) ?? [];
  return openAddress(url, options);
}

/** The dashboard of all sessions, as a separate program. */
export async function serveDashboard(place: Workplace, port = "0"): Promise<{ web: Running; url: string }> {
  const web = place.start(["web", "--no-open", "--port", port, "--json"]);
  const { url } = JSON.parse(await web.saw(/\n/)) as { url: string };
  return { web, url };
}

/** `url` contains the token, and the session after `#`. Contexts of one browser are isolated like two browsers. */
export async function openAddress(
  url: string,
  options: BrowserContextOptions = {},
  browser?: Browser,
): Promise<DashboardPage> {
  const opened = browser ?? (await launchChromium());
  const context = await opened.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  // A wait that fails should be reported by the browser, with the state of the page, not by the limit of the test.
  context.setDefaultTimeout(200_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(url);
  const session = /#\/s\/(ses_\w+)/.exec(url)?.[1] ?? "";
  return {
    page,
    problems,
    async go(view) {
      await page.goto(`${new URL(url).origin}/#/s/${session}/${view}`);
    },
    async violations() {
      // The page's policy forbids scripts. `evaluate` goes through the debugger, which bypasses it.
      if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
      const found = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
        return (await axe.run()).violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ html }) => html) }));
      });
      return found.map(({ id, targets }) => `${id}: ${targets.join(" | ").slice(0, 400)}`);
    },
    overflow: () => page.evaluate("document.documentElement.scrollWidth - innerWidth"),
  };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}
