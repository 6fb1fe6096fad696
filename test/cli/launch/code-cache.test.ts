import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workplace } from "../../support/cli/workplace.ts";

const hello = { version: 1, rules: [{ answer: { text: "hello" } }] };

function cacheOf(home: string) {
  const all = join(home, ".troupe", "cache");
  return join(all, readdirSync(all)[0] ?? "");
}

function keptIn(home: string, kind: string) {
  const folder = cacheOf(home);
  const name = readdirSync(folder).find((file) => file.startsWith("run-") && file.endsWith(`.${kind}.bin`)) ?? "";
  const path = join(folder, name);
  return { size: statSync(path).size, lessons: readFileSync(path).at(-1), madeAt: statSync(path).mtimeMs };
}

test("code cache grows over two successful runs, then stays unchanged", async () => {
  const place = workplace({ isNew: true });
  mkdirSync(join(place.home, ".troupe"), { mode: 0o700 });
  const script = place.write("script.json", hello);
  const good = async () => expect((await place.run(["-p", "hi", "--model", `scripted/${script}`])).code).toBe(0);

  expect((await place.run(["-p", "hi"])).code).not.toBe(0);
  const early = keptIn(place.home, "print");
  expect(early.lessons).toBe(0);
  await good();
  const first = keptIn(place.home, "print");
  expect(first.lessons).toBe(1);
  expect(first.size).toBeGreaterThan(early.size * 1.2);
  expect((await place.run(["-p", "hi"])).code).not.toBe(0);
  expect(keptIn(place.home, "print")).toEqual(first);
  await good();
  const second = keptIn(place.home, "print");
  expect(second.lessons).toBe(2);
  await good();
  expect(keptIn(place.home, "print")).toEqual(second);
});

test("code compiled by another command is cached separately", async () => {
  const place = workplace({ isNew: true });
  const script = place.write("script.json", hello);
  await place.run(["-p", "hi", "--model", `scripted/${script}`]);
  const kept = keptIn(place.home, "print");
  expect((await place.run(["sessions"])).code).toBe(0);
  expect(keptIn(place.home, "print")).toEqual(kept);
  expect(keptIn(place.home, "other").lessons).toBe(1);
});

test("damaged code is not run, and is replaced", async () => {
  const place = workplace({ isNew: true });
  const script = place.write("script.json", hello);
  expect((await place.run(["-p", "hi", "--model", `scripted/${script}`])).code).toBe(0);
  expect((await place.run(["sessions"])).code).toBe(0);
  const folder = cacheOf(place.home);
  const files = readdirSync(folder).filter((name) => name.endsWith(".other.bin"));
  expect(files.length).toBeGreaterThan(0);
  const damages: ((bytes: Buffer) => Buffer)[] = [
    (bytes) => bytes.map((byte, at) => (at === 2482 ? byte ^ 0x10 : byte)) as Buffer,
    (bytes) => bytes.fill(0, bytes.length >> 1),
    (bytes) => bytes.subarray(0, 20),
    () => Buffer.alloc(0),
  ];
  for (const damage of damages) {
    const before = files.map((name) => readFileSync(join(folder, name)));
    for (const [at, name] of files.entries())
      writeFileSync(join(folder, name), damage(Buffer.from(before[at] as Buffer)));
    expect(await place.run(["sessions"])).toMatchObject({ code: 0, signal: null, stderr: "" });
    for (const name of files) expect(readFileSync(join(folder, name)).length).toBeGreaterThan(1000);
  }
});

test("code cache that cannot be read is not used", async () => {
  const place = workplace({ isNew: true });
  expect((await place.run(["sessions"])).code).toBe(0);
  const script = place.write("script.json", hello);
  expect((await place.run(["-p", "hi", "--model", `scripted/${script}`])).code).toBe(0);
  const folder = cacheOf(place.home);
  const [first = "", second = ""] = readdirSync(folder).filter((name) => name.endsWith(".print.bin"));
  rmSync(join(folder, first));
  mkdirSync(join(folder, first));
  chmodSync(join(folder, second), 0);
  expect(await place.run(["-p", "hi", "--model", `scripted/${script}`])).toMatchObject({ code: 0, stderr: "" });
});

test("start that crashed takes its code cache with it", async () => {
  const place = workplace({ isNew: true });
  const script = place.write("script.json", hello);
  expect((await place.run(["-p", "hi", "--model", `scripted/${script}`])).code).toBe(0);
  const folder = cacheOf(place.home);
  expect(readdirSync(folder).some((name) => name.startsWith("start."))).toBe(false);
  const { child, done } = place.start(["--version"]);
  child.kill("SIGKILL");
  await done;
  // The crash may be before the mark, so the mark of the dead process is written here.
  writeFileSync(join(folder, `start.${child.pid}`), "");
  const before = readdirSync(folder).filter((name) => name.endsWith(".print.bin"));
  expect(before).not.toEqual([]);
  expect((await place.run(["sessions"])).code).toBe(0);
  const after = readdirSync(folder);
  expect(after.filter((name) => name.endsWith(".print.bin") || name.startsWith("start."))).toEqual([]);
  expect(after.some((name) => name.endsWith(".other.bin"))).toBe(true);
});
