import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inject, onTestFinished } from "vitest";

export const program = resolve(import.meta.dirname, "../../../dist/troupe.cjs");

export interface Workplace {
  readonly cwd: string;
  readonly home: string;
  /** Writes a file of the project. */
  write(name: string, content: string | object): string;
  start(args: readonly string[], options?: StartOptions): Running;
  /** Runs the program to its end. */
  run(args: readonly string[], options?: StartOptions): Promise<Finished>;
}

export interface StartOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A command that starts the program, for example in another network. */
  readonly via?: readonly string[];
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly done: Promise<Finished>;
  /** Resolves when the output so far matches. Rejects if the program ends before. */
  saw(pattern: RegExp, stream?: "stdout" | "stderr"): Promise<string>;
  write(line: string): void;
  end(): void;
}

/**
 * A new project and home, and the built program run in them without this machine's environment. Unless `isNew` is set,
 * the home contains V8's compile cache of an earlier run.
 */
export function workplace({ isNew = false }: { readonly isNew?: boolean } = {}): Workplace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-e2e-")));
  const cwd = join(root, "project");
  const home = join(root, "home");
  mkdirSync(cwd);
  mkdirSync(home);
  if (!isNew) bringCompiledCode(join(home, ".troupe"));
  const children = new Set<ChildProcess>();
  onTestFinished(() => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
  });

  const start = (args: readonly string[], options: StartOptions = {}): Running => {
    const [command = "", ...words] = [...(options.via ?? []), process.execPath, program, ...args];
    const child = spawn(command, words, {
      cwd: options.cwd ?? cwd,
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        TROUPE_HOME: join(home, ".troupe"),
        TROUPE_SANDBOX: "off",
        ...options.env,
      },
      stdio: "pipe",
    });
    children.add(child);
    const text = { stdout: "", stderr: "" };
    const lookers = new Set<() => void>();
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream]?.setEncoding("utf8").on("data", (chunk: string) => {
        text[stream] += chunk;
        for (const look of lookers) look();
      });
    }
    const done = new Promise<Finished>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => {
        children.delete(child);
        resolve({ code, signal, ...text });
      });
    });
    child.stdin?.on("error", () => undefined); // the program may have exited before it read everything
    if (options.input !== undefined) child.stdin?.end(options.input);
    return {
      child,
      done,
      write: (line) => void child.stdin?.write(`${line}\n`),
      end: () => void child.stdin?.end(),
      saw: (pattern, stream = "stdout") =>
        new Promise((resolve, reject) => {
          const look = () => {
            if (!pattern.test(text[stream])) return;
            lookers.delete(look);
            resolve(text[stream]);
          };
          lookers.add(look);
          look();
          void done.then(() => reject(new Error(`ended before ${pattern}: ${text.stdout}\n${text.stderr}`)));
        }),
    };
  };

  return {
    cwd,
    home,
    start,
    run: (args, options = {}) => start(args, { input: "", ...options }).done,
    write(name, content) {
      const file = join(cwd, name);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
      return file;
    },
  };
}

function bringCompiledCode(home: string): void {
  const from = inject("compiledCode");
  if (!existsSync(from)) return;
  mkdirSync(home, { mode: 0o700 });
  for (const build of readdirSync(from)) {
    const folder = join(home, "cache", build);
    mkdirSync(folder, { mode: 0o700, recursive: true });
    for (const name of readdirSync(join(from, build))) linkSync(join(from, build, name), join(folder, name));
  }
}

export const bypass = ["--permission-mode", "bypassPermissions"] as const;
