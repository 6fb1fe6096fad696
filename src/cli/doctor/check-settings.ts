import { TroupeError } from "../../protocol/index.ts";
import { configRuleProblems } from "../../session/index.ts";
import type { Check } from "./finding.ts";

export const settings: Check = {
  name: "settings",
  async find({ settingsProblems, config, configError }) {
    if (settingsProblems.length > 0) {
      return settingsProblems.map(({ file, line, column, field, message }) => {
        const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
        const detail = [place, field, message].filter(Boolean).join(": ");
        return { status: "problem", detail, advice: "correct or remove the file", blocks: true };
      });
    }
    if (configError !== undefined) return [{ status: "problem", detail: configError, blocks: true }];
    const files = config?.settingsFiles ?? [];
    const notices = (config?.notices ?? []).map((detail) => ({ status: "problem", detail }) as const);
    return [
      { status: "ok", detail: files.length === 0 ? "no settings file (none is needed)" : files.join(", ") },
      ...notices,
    ];
  },
};

/** Permission rules that match no call, or that allow any code. */
export const permissionRules: Check = {
  name: "permission rules",
  async find({ config }) {
    try {
      return config === undefined ? [] : configRuleProblems(config).map((detail) => ({ status: "problem", detail }));
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      return [{ status: "problem", detail: error.message, advice: "correct or remove the rule", blocks: true }];
    }
  },
};

/** Settings of the folder that are ignored because the folder is not trusted. */
export const untrusted: Check = {
  name: "folder's settings",
  async find({ config }) {
    return (config?.untrusted ?? []).map(({ key, source }) => ({
      status: "ok",
      detail: `${key} in ${source} is ignored: the folder is not trusted`,
    }));
  },
};
