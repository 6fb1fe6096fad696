import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { publicTypes } from "../../support/surface/public-types.ts";

const dist = resolve(import.meta.dirname, "../../../dist");

/** Runs the built program and returns its output. */
function troupe(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve(dist, "troupe.cjs"), ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
  });
  expect({ status, stderr }, args.join(" ")).toEqual({ status: 0, stderr: "" });
  return stdout;
}

test("the schemas of events, commands and settings do not change", async () => {
  const all = JSON.parse(troupe("schema")) as Record<string, unknown>;
  for (const [which, schema] of Object.entries(all)) expect(JSON.parse(troupe("schema", which))).toEqual(schema);
  await expect(`${JSON.stringify(all, null, 2)}\n`).toMatchFileSnapshot("snapshots/schema.txt");
});

test("the settings keys do not change", async () => {
  const keys = keysOf(JSON.parse(troupe("schema", "settings")) as Schema);
  await expect(`${keys.join("\n")}\n`).toMatchFileSnapshot("snapshots/settings.txt");
});

test.each(["index", "testing"])("the exports of %s keep their names and types", async (entry) => {
  const types = publicTypes(resolve(dist, `types/${entry}.d.ts`));
  await expect(types).toMatchFileSnapshot(`snapshots/${entry}.txt`);
});

/** The help text of a command and of its subcommands. */
function helpOf(...path: string[]): string[] {
  const help = troupe(...path, "--help");
  const listed = help.replaceAll(/^(?:Arguments|Examples):\n(?: .*\n?)+/gm, "");
  const names = [...listed.matchAll(/^ {2}([a-z][\w-]*)/gm)].flatMap(([, name]) =>
    name && name !== "help" ? [name] : [],
  );
  return [`$ troupe ${[...path, "--help"].join(" ")}\n${help}`, ...names.flatMap((name) => helpOf(...path, name))];
}

test("the help texts do not change", async () => {
  const help = [...helpOf(), ...helpOf("teammate")].join("\n");
  await expect(help).toMatchFileSnapshot("snapshots/help.txt");
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Every settings key as a dotted path; `*` stands for any name. */
function keysOf(schema: Schema, at = ""): string[] {
  const below = (name: string, inner: Schema) => [`${at}${name}`, ...keysOf(inner, `${at}${name}.`)];
  const { properties = {}, additionalProperties: other, items, anyOf = [], oneOf = [] } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => below(name, inner)),
    ...(typeof other === "object" ? below("*", other) : []),
    ...(items ? keysOf(items, at) : []),
    ...[...anyOf, ...oneOf].flatMap((inner) => keysOf(inner, at)),
  ];
}
