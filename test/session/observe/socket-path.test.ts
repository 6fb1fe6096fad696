import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { SessionId } from "../../../src/protocol/index.ts";
import {
  socketsFolder,
  listSockets,
  makeSocketsFolder,
  newSocketName,
  parseSocketName,
} from "../../../src/session/observe/socket-path.ts";
import { openSocket } from "../../../src/session/observe/connect-session-socket.ts";
import { removeStaleSockets } from "../../../src/session/observe/remove-stale-sockets.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const session = createIdFactory(systemClock)<SessionId>("ses");
/** A pid above any that a system assigns. */
const nobody = 99_999_999;

test("a socket is named after its session and process, and no name repeats", () => {
  const name = newSocketName(session, 4711);
  expect(parseSocketName(name)).toEqual({ name, session, pid: 4711 });
  expect(newSocketName(session, 4711)).not.toBe(name);
  for (const other of ["", ".new", session, `${session}.x`, `../${name}`, `${name}/..`, `ses_.1-abcdef`])
    expect(parseSocketName(other), other).toBeUndefined();
});

test("a socket in another folder is reached through its link, and both are removed when stale", async () => {
  const home = tempTree().root;
  mkdirSync(socketsFolder(home));
  const away = join(mkdtempSync(join(tmpdir(), "troupe-")), "s");
  const name = newSocketName(session, nobody);
  symlinkSync(away, join(socketsFolder(home), name));
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(away, resolve));
  onTestFinished(() => void server.close());
  const [door] = await listSockets(home);
  if (!door) throw new Error("no door");
  const socket = await openSocket(home, door);
  expect(socket).toBeDefined();
  socket?.destroy();
  await removeStaleSockets(home);
  expect(readdirSync(socketsFolder(home)), "the socket is in use").toEqual([name]);
  await new Promise((resolve) => server.close(resolve));
  await removeStaleSockets(home);
  expect(readdirSync(socketsFolder(home))).toEqual([]);
  expect(existsSync(dirname(away))).toBe(false);
});

test("a link to a file that is not a socket is removed, its target stays", async () => {
  const tree = tempTree({ "precious/s": "keep me" });
  const home = tree.path("home");
  mkdirSync(socketsFolder(home), { recursive: true });
  const name = newSocketName(session, nobody);
  symlinkSync(tree.path("precious/s"), join(socketsFolder(home), name));
  await removeStaleSockets(home);
  expect(readdirSync(socketsFolder(home))).toEqual([]);
  expect(existsSync(tree.path("precious/s"))).toBe(true);
});

test("the socket folder is private to the user, or it is not used", async () => {
  const tree = tempTree();
  const open = tree.path("open");
  mkdirSync(socketsFolder(open), { recursive: true, mode: 0o755 });
  chmodSync(socketsFolder(open), 0o755);
  await makeSocketsFolder(open);
  expect(statSync(socketsFolder(open)).mode & 0o777).toBe(0o700);
  const linked = tree.path("linked");
  mkdirSync(linked);
  symlinkSync(socketsFolder(open), socketsFolder(linked));
  await expect(makeSocketsFolder(linked)).rejects.toMatchObject({ code: "home" });
});
