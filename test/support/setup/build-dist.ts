import { execFileSync } from "node:child_process";
import { isBuilt } from "../../../scripts/is-built.mjs";

/** End-to-end tests run the built program. Builds it if a source is newer, so that no test uses an old build. */
export default function build(): void {
  if (process.env["TROUPE_TEST_BUILT"] === "1" || isBuilt()) return;
  execFileSync("npm", ["run", "--silent", "build"], { stdio: ["ignore", "ignore", "inherit"] });
  process.env["TROUPE_TEST_BUILT"] = "1";
}
