import { readFileSync } from "node:fs";

/** The calls of a program on files below a folder, in the order in which they returned. */
export type RecordedCall =
  | { readonly type: "made"; readonly file: number; readonly path: string }
  | { readonly type: "made folder"; readonly path: string }
  | { readonly type: "appended"; readonly file: number; readonly bytes: Buffer }
  | { readonly type: "renamed"; readonly path: string; readonly to: string }
  | { readonly type: "removed"; readonly path: string }
  /** Everything done to `what` before the call with this number is on disk. */
  | { readonly type: "synced"; readonly what: number | string; readonly before: number }
  /** A line on standard output. */
  | { readonly type: "said"; readonly line: string };

export const straceArguments = (trace: string): string[] => [
  "-f",
  "--seccomp-bpf",
  "-qq",
  "-xx",
  "-s",
  "1000000",
  "-o",
  trace,
  "-e",
  "trace=openat,write,pwrite64,fsync,fdatasync,rename,unlink,mkdir,ftruncate,close",
];

/**
 * Parses strace output. A file of `folder` is known from its creation; files in `there` existed before and have the
 * first numbers.
 */
export function readCalls(trace: string, folder: string, there: readonly string[] = []): RecordedCall[] {
  const calls: RecordedCall[] = [];
  const files = new Map(there.map((path, n) => [path, n + 1]));
  const descriptors = new Map<number, number | string>();
  let made = there.length;
  const isBelow = (path: string) => path === folder || path.startsWith(`${folder}/`) || there.includes(path);

  for (const { name, text, result, startedAt } of finishedCalls(trace, () => calls.length)) {
    if (result < 0) continue;
    const [path = "", to = ""] = stringsOf(text).map(String);
    const descriptor = Number(/^\d+/.exec(text)?.[0]);
    const what = descriptors.get(descriptor);
    switch (name) {
      case "openat":
        descriptors.delete(result);
        if (!isBelow(path)) break;
        if (text.includes("O_TRUNC")) throw new Error(`${path} is cut when it is opened, and that is not played here`);
        if (text.includes("O_CREAT") && !files.has(path)) {
          files.set(path, ++made);
          calls.push({ type: "made", file: made, path });
        }
        descriptors.set(result, files.get(path) ?? path);
        break;
      case "close":
        descriptors.delete(descriptor);
        break;
      case "write": {
        const [bytes = Buffer.alloc(0)] = stringsOf(text);
        if (typeof what === "number")
          calls.push({ type: "appended", file: what, bytes: Buffer.from(bytes.subarray(0, result)) });
        if (descriptor === 1) calls.push({ type: "said", line: bytes.toString().trimEnd() });
        break;
      }
      case "fsync":
      case "fdatasync":
        if (what !== undefined) calls.push({ type: "synced", what, before: startedAt });
        break;
      case "mkdir":
        if (isBelow(path)) calls.push({ type: "made folder", path });
        break;
      case "rename": {
        const file = files.get(path);
        if (file === undefined) break;
        files.delete(path);
        files.set(to, file);
        calls.push({ type: "renamed", path, to });
        break;
      }
      case "unlink":
        if (files.delete(path)) calls.push({ type: "removed", path });
        break;
      default:
        if (what !== undefined) throw new Error(`${name} is not played here`);
    }
  }
  return calls;
}

interface FinishedCall {
  readonly name: string;
  readonly text: string;
  readonly result: number;
  readonly startedAt: number;
}

/** strace splits an overtaken call into two lines. The call counts when it returns. */
function* finishedCalls(trace: string, now: () => number): Generator<FinishedCall> {
  const begun = new Map<string, { name: string; text: string; startedAt: number }>();
  for (const line of readFileSync(trace, "latin1").split("\n")) {
    const [, thread = "", rest = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const start = /^(\w+)\((.*) <unfinished \.\.\.>$/.exec(rest);
    const end = /^<\.\.\. \w+ resumed>(.*)\) += (-?\d+)/.exec(rest);
    const whole = /^(\w+)\((.*)\) += (-?\d+)/.exec(rest);
    if (start !== null) begun.set(thread, { name: start[1] ?? "", text: start[2] ?? "", startedAt: now() });
    else if (end !== null) {
      const { name = "", text = "", startedAt = now() } = begun.get(thread) ?? {};
      yield { name, text: text + (end[1] ?? ""), result: Number(end[2]), startedAt };
    } else if (whole !== null) {
      yield { name: whole[1] ?? "", text: whole[2] ?? "", result: Number(whole[3]), startedAt: now() };
    }
  }
}

const stringsOf = (text: string): Buffer[] =>
  [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = ""]) => Buffer.from(hex.replaceAll("\\x", ""), "hex"));
