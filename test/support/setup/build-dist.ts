import { execFileSync } from "node:child_process";

/** End-to-end tests run the built program: build it first, always, so that no test runs against yesterday's; once for all projects. */
export default function build(): void {
  if (process.env["TROUPE_TEST_BUILT"] === "1") return;
  execFileSync("npm", ["run", "--silent", "build"], { stdio: ["ignore", "ignore", "inherit"] });
  process.env["TROUPE_TEST_BUILT"] = "1";
}
