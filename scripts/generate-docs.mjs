// Writes the reference pages that come from the code, and the diagrams.
//   npm run docs:generate [-- --check]
// `--check` writes nothing and fails if a page is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { cliPage } from "./docs/cli-page.mjs";
import { layers, lifeOfAMessage, permissionQuestion, statesOfATask } from "./docs/diagrams.mjs";
import { errorsPage } from "./docs/errors-page.mjs";
import { eventsPage } from "./docs/events-page.mjs";
import { libraryPage } from "./docs/library-page.mjs";
import { manPage } from "./docs/man-page.mjs";
import { settingsPage } from "./docs/settings-page.mjs";

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const pages = {
  "docs/images/layers.svg": layers,
  "docs/images/message.svg": lifeOfAMessage,
  "docs/images/permission.svg": permissionQuestion,
  "docs/images/task.svg": statesOfATask,
  "docs/reference/cli.md": cliPage,
  "docs/reference/error-codes.md": errorsPage,
  "docs/reference/events.md": eventsPage,
  "docs/reference/library.md": libraryPage,
  "docs/reference/settings.md": settingsPage,
  "docs/reference/troupe.1": manPage,
};

const check = process.argv.includes("--check");
for (const [path, create] of Object.entries(pages)) {
  const text = create();
  if (!check) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) {
    console.error(`${path} is out of date. Run npm run docs:generate.`);
    process.exitCode = 1;
  }
}
