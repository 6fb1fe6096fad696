import { type Settings, TroupeError } from "../../protocol/index.ts";

type SandboxSettings = NonNullable<Settings["sandbox"]>;

export type SandboxConfig = SandboxSettings & Required<Pick<SandboxSettings, "mode">>;

const modes = ["off", "auto", "required"] as const;

/** The settings of the sandbox. Without a mode in them, `TROUPE_SANDBOX` sets it: for containers that have no sandbox. */
export function sandboxConfig(
  settings: SandboxSettings = {},
  env: Readonly<Record<string, string | undefined>> = {},
): SandboxConfig {
  const named = env["TROUPE_SANDBOX"]?.trim() || undefined;
  const mode = modes.find((each) => each === named);
  if (named !== undefined && mode === undefined) {
    throw new TroupeError("settings", `TROUPE_SANDBOX is ${JSON.stringify(named)}: set it to off, auto or required.`);
  }
  return { ...settings, mode: settings.mode ?? mode ?? "auto" };
}
