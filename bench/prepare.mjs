import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { library as config } from "../rolldown.config.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Parts that users never import by themselves, built the way the program is. */
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
 * Takes what is measured to a folder of its own, so that a build in the meantime changes nothing: a copy of `dist`, and
 * the inner parts. Everything that a benchmark writes goes below `folder`; `close` removes it.
 */
export async function prepare() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-bench-")));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
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
    /** Where the inner parts are, for another process. */
    insides: join(folder, "insides"),
    child: (name) => fileURLToPath(new URL(`./children/${name}.mjs`, import.meta.url)),
    /** A new empty folder. */
    emptyFolder() {
      const path = join(folder, `work-${++count}`);
      mkdirSync(path);
      return path;
    },
    close,
  };
}
