import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * A browser without a test library. A test library receives everything that a page receives, including every stream
 * message, which doubles the page's work. Here only requested data is transferred.
 */
export async function launchBareBrowser(profile) {
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions"];
  const child = spawn(
    findChromium(),
    [...flags, `--user-data-dir=${profile}`, "--remote-debugging-pipe", "--window-size=1280,800", "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );
  const ended = new Promise((resolve) => child.on("close", resolve));
  const send = speakTo(child);
  return {
    /** Opens a page; all pages share their storage. */
    async openPage() {
      const { targetId } = await send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
      const ask = (method, params) => send(method, params, sessionId);
      await ask("Page.enable");
      return {
        send: ask,
        goto: (url) => ask("Page.navigate", { url }),
        beforeEach: (run) => ask("Page.addScriptToEvaluateOnNewDocument", { source: `(${run})()` }),
        /** Returns the result of the function in the page. */
        async evaluate(run, ...words) {
          const expression = `(${run})(${words.map((word) => JSON.stringify(word)).join(",")})`;
          const { result, exceptionDetails } = await ask("Runtime.evaluate", {
            expression,
            awaitPromise: true,
            returnByValue: true,
          });
          if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
          return result.value;
        },
        close: () => send("Target.closeTarget", { targetId }),
      };
    },
    /** CPU time of all its processes so far. */
    async cpuMs() {
      const { processInfo } = await send("SystemInfo.getProcessInfo");
      return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
    },
    async close() {
      await send("Browser.close");
      await ended;
    },
  };
}

/** Messages are JSON, each followed by a zero byte. */
function speakTo(child) {
  const [, , , input, output] = child.stdio;
  const waiting = new Map();
  let count = 0;
  let rest = "";
  output.setEncoding("utf8");
  output.on("data", (chunk) => {
    const texts = (rest + chunk).split("\0");
    rest = texts.pop();
    for (const text of texts) {
      const { id, result, error } = JSON.parse(text);
      waiting.get(id)?.(error, result);
      waiting.delete(id);
    }
  });
  return (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      const id = ++count;
      waiting.set(id, (error, result) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result)));
      input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
}

export function findChromium() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (found === undefined) throw new Error("this benchmark needs chromium: install it (apt-get install chromium)");
  return found;
}
