import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Returns the folder of the built dashboard: beside the bundled program, or the build output of this source tree. */
export function dashboardFolder(): string {
  const places = ["web", "../web", "../../../dist/web"].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return places.find((place) => existsSync(`${place}/index.html`)) ?? places[1] ?? "";
}
