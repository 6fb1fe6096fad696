import { expect, it } from "vitest";
import { bwrapArguments } from "../../../src/platform/sandbox/bwrap-arguments.ts";

it("mounts outer paths before inner ones, and strict rules after loose ones", () => {
  const args = bwrapArguments({
    mounts: [
      { kind: "readOnly", path: "/home/me/work/.git" },
      { kind: "hiddenFile", path: "/home/me/.netrc" },
      { kind: "readOnly", path: "/home/me/.troupe/own" },
      { kind: "hiddenFolder", path: "/home/me/.troupe" },
      { kind: "writable", path: "/home/me/.troupe/worktrees/a" },
      { kind: "writable", path: "/home/me/work" },
      { kind: "private", path: "/tmp", source: "/tmp/t" },
    ],
    cwd: "/home/me/work",
    proc: { readOnly: ["sys"], empty: ["irq"], hidden: ["kcore"] },
    keptRunPaths: [],
    disableUserNamespaces: true,
  });
  expect(args.join(" ").replaceAll(" --", "\n--")).toMatchInlineSnapshot(`
    "--unshare-user
    --unshare-pid
    --unshare-ipc
    --unshare-uts
    --unshare-cgroup-try
    --unshare-net
    --disable-userns
    --cap-drop ALL
    --die-with-parent
    --new-session
    --ro-bind / /
    --dev /dev
    --proc /proc
    --ro-bind /proc/sys /proc/sys
    --perms 0555
    --tmpfs /proc/irq
    --bind /dev/null /proc/kcore
    --perms 0555
    --tmpfs /run
    --bind /tmp/t /tmp
    --bind /home/me/work /home/me/work
    --bind /dev/null /home/me/.netrc
    --perms 0555
    --tmpfs /home/me/.troupe
    --ro-bind /home/me/work/.git /home/me/work/.git
    --ro-bind /home/me/.troupe/own /home/me/.troupe/own
    --bind /home/me/.troupe/worktrees/a /home/me/.troupe/worktrees/a
    --chdir /home/me/work
    --"
  `);
});
