import type { Sandbox, SandboxOptions } from "./sandbox.ts";

/** The sandbox of this system. Where there is none, it says so and lets nothing in. Loaded only when it is wanted. */
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
