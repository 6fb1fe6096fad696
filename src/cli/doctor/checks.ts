import { homeFolder, homeRights, homeSpace } from "./check-home.ts";
import { baseUrls, keys, model } from "./check-model.ts";
import { program, ripgrep } from "./check-programs.ts";
import { sandbox } from "./check-sandbox.ts";
import { sessions } from "./check-sessions.ts";
import { permissionRules, settings, untrusted } from "./check-settings.ts";
import { folder, node, terminal, troupe } from "./check-environment.ts";
import type { Check } from "./finding.ts";

/** All checks, in the order of the report. */
export const checks: readonly Check[] = [
  troupe,
  node,
  folder,
  program({ name: "bash", args: ["--version"], consequence: "agents cannot run commands", blocks: true }),
  program({ name: "git", args: ["--version"], consequence: "agents cannot see the state of the repository" }),
  ripgrep,
  program({ name: "tmux", args: ["-V"], consequence: "teammates run in the lead's process, not in panes" }),
  sandbox,
  keys,
  baseUrls,
  model,
  settings,
  permissionRules,
  untrusted,
  homeFolder,
  homeRights,
  homeSpace,
  sessions,
  terminal,
];
