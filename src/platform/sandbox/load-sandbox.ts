import type { Sandbox, SandboxOptions } from "./sandbox.ts";

/**
 * Returns the sandbox of this system. Without one, the result reports the problem and runs nothing. Loaded only when
 * needed.
 */
export async function loadSandbox(options: SandboxOptions): Promise<Sandbox> {
  if (process.platform === "linux") return (await import("./bwrap-sandbox.ts")).createBwrapSandbox(options);
  if (process.platform === "darwin") return (await import("./seatbelt-sandbox.ts")).createSeatbeltSandbox(options);
  const reason = `there is no sandbox for ${process.platform}`;
  return {
    problem: () => Promise.resolve(reason),
    enter: () => Promise.reject(new Error(reason)),
    close: () => Promise.resolve(),
  };
}
