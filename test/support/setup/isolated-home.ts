import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { collectGarbage } from "./collect-garbage.ts";
import { finishFile } from "./on-file-finished.ts";

/**
 * Gives every test file a new home and an environment without keys, CI variables or git configuration. Removes the home
 * afterwards.
 */
const home = mkdtempSync(join(tmpdir(), "troupe-test-home-"));
process.env["TROUPE_HOME"] = join(home, ".troupe");
process.env["HOME"] = home;
process.env["GIT_CONFIG_GLOBAL"] = "/dev/null";
for (const name of Object.keys(process.env)) {
  if (/^(ANTHROPIC|OPENAI|TROUPE|CLAUDE)_/.test(name) && name !== "TROUPE_HOME") delete process.env[name];
  if (/^(CI|CONTINUOUS_INTEGRATION|NO_COLOR|FORCE_COLOR)$/.test(name)) delete process.env[name];
}

// Most tests are not about walls, and they also pass where there is no sandbox. A test of walls sets its own mode.
process.env["TROUPE_SANDBOX"] = "off";

afterAll(async () => {
  await finishFile();
  rmSync(home, { recursive: true, force: true });
  collectGarbage();
});
