import { execFileSync } from "node:child_process";

/**
 * End-to-end tests run the built program. Builds it before every run, so that no test uses an old build, and once for
 * all projects.
 */
export default function build(): void {
  if (process.env["TROUPE_TEST_BUILT"] === "1") return;
  execFileSync("npm", ["run", "--silent", "build"], { stdio: ["ignore", "ignore", "inherit"] });
  process.env["TROUPE_TEST_BUILT"] = "1";
}
