import { version } from "../../platform/index.ts";
import type { Check } from "./finding.ts";

export const troupe: Check = {
  name: "troupe",
  find: async () => [{ status: "ok", detail: version }],
};

const oldestNode = [20, 19] as const;

export const node: Check = {
  name: "node",
  async find({ nodeVersion }) {
    const [major = 0, minor = 0] = nodeVersion.replace(/^v/, "").split(".").map(Number);
    const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
    if (!isOld) return [{ status: "ok", detail: nodeVersion }];
    const advice = `install Node ${oldestNode.join(".")} or newer`;
    return [{ status: "problem", detail: `${nodeVersion} is too old`, advice, blocks: true }];
  },
};

export const folder: Check = {
  name: "folder",
  async find({ cwd }) {
    if (cwd !== undefined) return [{ status: "ok", detail: cwd }];
    const detail = "the current folder no longer exists";
    return [{ status: "problem", detail, advice: "change to another folder", blocks: true }];
  },
};

export const terminal: Check = {
  name: "terminal",
  async find({ terminal, env }) {
    if (!terminal.isTerminal) return [{ status: "ok", detail: "none: output goes to a file or a program" }];
    const kind = env["TERM"] ?? "";
    if (kind === "" || kind === "dumb") {
      return [
        {
          status: "problem",
          detail: `TERM is ${kind || "not set"}`,
          advice: "set TERM, for example to xterm-256color",
        },
      ];
    }
    return [{ status: "ok", detail: `${kind}, ${terminal.columns ?? "unknown"} columns` }];
  },
};
