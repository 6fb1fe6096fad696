import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { library as config } from "../rolldown.config.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Internal parts that users never import directly, built like the program. */
const insides = {
  protocol: "src/protocol/index.ts",
  platform: "src/platform/index.ts",
  store: "src/store/index.ts",
  tool: "src/tool/index.ts",
  agent: "src/agent/index.ts",
  view: "src/view/index.ts",
  transcript: "src/view/transcript/forget-transcript.ts",
  hub: "src/session/event-hub.ts",
  observe: "src/session/observe/session-directory.ts",
  mailbox: "src/team/mailbox/index.ts",
  anthropicWire: "src/testing/anthropic-wire.ts",
  openaiWire: "src/testing/openai-wire.ts",
  encodeEvents: "src/testing/encode-events.ts",
};

/**
 * Copies what is measured to a separate folder, so that a build during the run changes nothing: `dist` and the internal
 * parts. All benchmarks write below `folder`; `close` removes it.
 */
export async function prepare() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-bench-")));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
    // The library imports zod from the program that uses it.
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
    const bundle = await rolldown(Object.assign({}, config, { cwd: root, input: insides }));
    const { output } = config;
    await bundle.write(Object.assign({}, output, { dir: join(folder, "insides") }));
    await bundle.close();
  } catch (error) {
    close();
    throw error;
  }
  let count = 0;
  return {
    program: join(folder, "dist", "troupe.cjs"),
    library: pathToFileURL(join(folder, "dist", "index.js")).href,
    testing: pathToFileURL(join(folder, "dist", "testing.js")).href,
    inside: (name) => import(pathToFileURL(join(folder, "insides", `${name}.js`)).href),
    /** The folder of the internal parts, for another process. */
    insides: join(folder, "insides"),
    child: (name) => fileURLToPath(new URL(`./children/${name}.mjs`, import.meta.url)),
    /** Creates a new empty folder. */
    emptyFolder() {
      const path = join(folder, `work-${++count}`);
      mkdirSync(path);
      return path;
    },
    close,
  };
}
