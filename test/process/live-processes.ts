import { readdirSync, readFileSync } from "node:fs";

/** The living (not zombie) processes whose environment or command line has `token` in it; never this one. */
export function processesWith(token: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      const read = (file: string) => {
        try {
          return readFileSync(`/proc/${pid}/${file}`, "latin1");
        } catch (error) {
          if (["ENOENT", "ESRCH", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
          throw error;
        }
      };
      if (!read("environ").includes(token) && !read("cmdline").includes(token)) return false;
      return !/^\d+ \(.*\) [ZX] /s.test(read("stat"));
    });
}

/** Waits for the condition; the deadline is the bound of failure, not what is measured. */
export async function until(what: string, condition: () => boolean, withinMs = 2000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
