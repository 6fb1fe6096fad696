import { readdirSync, readFileSync } from "node:fs";

/** The living (not zombie) processes with `token` in their environment or command line, except this one. */
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

/** Waits for the condition. The deadline only ends a wait that hangs. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The pid of a process that has one. Throws otherwise: a signal to pid 0 would go to the tests themselves. */
export function knownPid(pid: number | undefined): number {
  if (pid === undefined || !(pid > 0))
    throw new Error(`no process has the pid ${pid}: it was not started, or its pid is not known`);
  return pid;
}
