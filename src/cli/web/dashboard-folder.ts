import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the page was built into: beside the program, of which this is a part, or where a build of this source puts it. */
export function dashboardFolder(): string {
  const places = ["web", "./", "../../../dist/web"].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return places.find((place) => existsSync(`${place}/index.html`)) ?? places[1] ?? "";
}
