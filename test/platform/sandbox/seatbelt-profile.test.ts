import { describe, expect, it } from "vitest";
import { seatbeltProfile } from "../../../src/platform/sandbox/seatbelt-profile.ts";

const plan = {
  writable: ["/Users/me/project", "/private/tmp/t"],
  protectedPaths: ["/Users/me/project/.git", "/Users/me/project/.claude", "/Users/me/project/sub/.git"],
  hidden: ["/Users/me/.ssh", "/Users/me/.troupe"],
  readable: ["/Users/me/.troupe/own"],
};

describe("profile for macOS", () => {
  it("denies first and protects last", () => {
    expect(seatbeltProfile(plan)).toMatchInlineSnapshot(`
      "(version 1)
      (deny default)
      (allow process-exec)
      (allow process-fork)
      (allow signal (target same-sandbox))
      (allow process-info* (target same-sandbox))
      (allow sysctl-read)
      (allow pseudo-tty)
      (allow ipc-posix-sem)
      (allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.notification_center") (global-name "com.apple.system.logger") (global-name "com.apple.logd"))
      (allow file-read*)
      (allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/dtracehelper"))
      (allow file-ioctl (regex #"^/dev/tty"))
      (allow file-write* (subpath "/Users/me/project"))
      (allow file-write* (subpath "/private/tmp/t"))
      (deny file-read* file-write* (subpath "/Users/me/.ssh"))
      (deny file-read* file-write* (subpath "/Users/me/.troupe"))
      (allow file-read* (subpath "/Users/me/.troupe/own"))
      (deny file-write* (subpath "/Users/me/project/.git"))
      (deny file-write* (subpath "/Users/me/project/.claude"))
      (deny file-write* (subpath "/Users/me/project/sub/.git"))
      (deny file-write-unlink (literal "/Users/me/project"))
      (deny file-write-unlink (literal "/Users/me/project/sub"))
      (deny network*)
      "
    `);
  });

  it("lets a lock file be made in a folder that cannot be written", () => {
    const locks = ["/Users/me/project/.git/packed-refs.lock"];
    const lines = seatbeltProfile({ ...plan, locks }).split("\n");
    const allowed = lines.indexOf(`(allow file-write* (literal "${locks[0]}"))`);
    expect(allowed).toBeGreaterThan(lines.indexOf('(deny file-write* (subpath "/Users/me/project/.git"))'));
  });

  it("allows only the proxy", () => {
    const network = seatbeltProfile({ ...plan, proxyPort: 4321 })
      .split("\n")
      .filter((line) => line.includes("network"));
    expect(network).toEqual(["(deny network*)", '(allow network-outbound (remote ip "localhost:4321"))']);
    expect(seatbeltProfile(plan)).not.toContain("allow network");
  });

  it("escapes paths so that none can end a string", () => {
    const path = '/a") (allow file-write* (subpath "/';
    const profile = seatbeltProfile({ ...plan, writable: [path, "/back\\slash"] });
    expect(profile).toContain(String.raw`(allow file-write* (subpath "/a\") (allow file-write* (subpath \"/"))`);
    expect(profile).toContain(String.raw`(subpath "/back\\slash")`);
    expect(() => seatbeltProfile({ ...plan, writable: ["/a\nb"] })).toThrow(/control characters/);
  });

  it("has as many closing as opening parentheses on each line", () => {
    for (const line of seatbeltProfile({ ...plan, proxyPort: 1 }).split("\n")) {
      expect(line.split("(").length).toBe(line.split(")").length);
    }
  });
});
