import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** The folder for all files of the demo, and the demo's environment. */
export interface Workspace {
  readonly root: string;
  /** TROUPE_HOME of the demo. The user's own sessions and settings are neither read nor written. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Only these variables of the user's environment are kept: no other may change what the demo does. */
const kept = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TMUX_TMPDIR", "TZ"];

/** `program` is the file that runs as `troupe` in the workspace, installed or not. */
export async function createWorkspace(
  userEnv: Readonly<Record<string, string | undefined>>,
  program: string,
): Promise<Workspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "troupe-demo-")));
  const home = join(root, "home", ".troupe");
  await mkdir(dirname(home));
  const bin = join(root, "bin");
  await mkdir(bin);
  const troupe = `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(program)} "$@"\n`;
  await writeFile(join(bin, "troupe"), troupe, { mode: 0o755 });
  await symlink(process.execPath, join(bin, "node"));
  const env = Object.fromEntries(kept.flatMap((name) => (userEnv[name] ? [[name, userEnv[name]]] : [])));
  return {
    root,
    home,
    env: {
      ...env,
      // The agents' `node` is the one that runs this program, and their `troupe` is this program.
      PATH: [bin, env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"].join(delimiter),
      HOME: dirname(home),
      TROUPE_HOME: home,
      // All commands are scripted. Without walls the demo asks the same questions on every machine.
      TROUPE_SANDBOX: "off",
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
