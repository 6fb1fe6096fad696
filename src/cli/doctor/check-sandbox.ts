import { loadSandbox } from "../../platform/index.ts";
import type { Check } from "./finding.ts";

/** Reports the sandbox mode, and runs a command to see whether the sandbox works. */
export const sandbox: Check = {
  name: "sandbox",
  async find({ config }) {
    const mode = config?.sandbox.mode ?? "auto";
    const tried = await loadSandbox({ hosts: [] });
    const problem = await tried.problem();
    await tried.close();
    const works = problem === undefined;
    if (works)
      return [{ status: "ok", detail: mode === "off" ? "works, but is off (sandbox.mode)" : `works, ${mode}` }];
    switch (mode) {
      case "off":
        return [{ status: "missing", detail: `off, and does not work: ${problem}` }];
      case "auto":
        return [
          { status: "problem", detail: `auto, but commands run without walls, and most of them ask: ${problem}` },
        ];
      case "required":
        return [{ status: "problem", detail: `required, so no command can run: ${problem}`, blocks: true }];
    }
  },
};
