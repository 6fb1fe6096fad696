import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workplace } from "../../support/cli/workplace.ts";

const hello = { version: 1, rules: [{ answer: { text: "hello" } }] };

function keptIn(home: string, kind: string) {
  const all = join(home, ".troupe", "cache");
  const folder = join(all, readdirSync(all)[0] ?? "");
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
