import { loadSandbox } from "../../platform/index.ts";
import type { Check } from "./finding.ts";

/** Which mode is in force, and whether there is a sandbox at all: it is really tried. */
export const sandbox: Check = {
  name: "sandbox",
  async find({ config }) {
    const mode = config?.sandbox.mode ?? "off";
    const tried = await loadSandbox({
      writable: [],
      protectedPaths: () => [],
      hidden: [],
      readable: () => [],
      hosts: [],
    });
    const problem = await tried.problem();
    await tried.close();
    const works = problem === undefined;
    if (works)
      return [{ status: "ok", detail: mode === "off" ? "works, and is off (sandbox.mode)" : `works, ${mode}` }];
    switch (mode) {
      case "off":
        return [{ status: "missing", detail: `off, and would not work: ${problem}` }];
      case "auto":
        return [{ status: "problem", detail: `auto, but commands run without it: ${problem}` }];
      case "required":
        return [{ status: "problem", detail: `required, so no command is run: ${problem}`, blocks: true }];
    }
  },
};
