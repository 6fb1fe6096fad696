import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStateRoot } from "../../../src/platform/index.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { needUserNamespaces } from "../../support/processes/required-tools.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

/** A folder that belongs to another user. */
function foreignFolder(): string {
  if (process.getuid?.() !== 0) return "/usr";
  const folder = join(temporaryFolder(), "foreign");
  mkdirSync(folder);
  chownSync(folder, 12345, 12345);
  return folder;
}

describe("openStateRoot", () => {
  it("creates the folder private to its owner", async () => {
    const path = join(temporaryFolder(), "a", "home");
    expect(await openStateRoot(path)).toEqual({ path: realpathSync(path), notices: [] });
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect((await openStateRoot(path)).notices).toEqual([]);
  });

  it("makes a folder private that others can read, and reports it", async () => {
    const path = join(temporaryFolder(), "home");
    mkdirSync(path);
    chmodSync(path, 0o755);
    const { notices } = await openStateRoot(path);
    expect(notices).toEqual([expect.stringContaining("mode 0755")]);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it("follows the user's own link to the user's own folder", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "real"), { mode: 0o700 });
    symlinkSync(join(folder, "real"), join(folder, "home"));
    expect((await openStateRoot(join(folder, "home"))).path).toBe(realpathSync(join(folder, "real")));
  });

  it("refuses a folder of another user, a file, a dangling link and a relative path", async () => {
    const folder = temporaryFolder();
    await expect(openStateRoot(foreignFolder())).rejects.toMatchObject({ code: "home" });
    symlinkSync(foreignFolder(), join(folder, "link"));
    await expect(openStateRoot(join(folder, "link"))).rejects.toThrow("belongs to user");
    writeFileSync(join(folder, "file"), "");
    await expect(openStateRoot(join(folder, "file"))).rejects.toThrow("not a folder");
    await expect(openStateRoot(join(folder, "file", "below"))).rejects.toMatchObject({ code: "home" });
    symlinkSync(join(folder, "nothing"), join(folder, "dangling"));
    await expect(openStateRoot(join(folder, "dangling"))).rejects.toMatchObject({ code: "home" });
    await expect(openStateRoot("relative")).rejects.toThrow("absolute");
  });

  it("refuses a read-only file system", async () => {
    needUserNamespaces();
    const program = await buildProgram("open-state-root.ts");
    onTestFinished(() => program.remove());
    const folder = temporaryFolder();
    const run = (script: string) =>
      JSON.parse(
        execFileSync("unshare", ["-Urm", "sh", "-c", script, process.execPath, program.path, folder], {
          encoding: "utf8",
        }),
      ) as unknown;
    const existing = run(
      'mount -t tmpfs none "$2" && mkdir -m 700 "$2/h" && mount -o remount,ro "$2" && "$0" "$1" "$2/h"',
    );
    expect(existing).toMatchObject({ code: "home", message: expect.stringContaining("read-only") });
    const missing = run('mount -t tmpfs -o ro none "$2" && "$0" "$1" "$2/h"');
    expect(missing).toMatchObject({ code: "home", message: expect.stringContaining("read-only") });
  });
});
