import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { onTestFinished } from "vitest";

export interface OldHome {
  /** TROUPE_HOME. */
  readonly home: string;
  /** The id of each lead session, by the name of its working folder. */
  readonly sessions: Readonly<Record<string, string>>;
  folder(name: string): string;
}

/** Copies a recorded home into a temp folder, with the paths and check sums of that folder. */
export function layOut(fixture: string): OldHome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-old-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const { sessions } = JSON.parse(readFileSync(join(fixture, "manifest.json"), "utf8")) as Pick<OldHome, "sessions">;
  const home = join(root, "home", ".troupe");
  const folder = (name: string) => join(root, name);
  const places = Object.keys(sessions).map((name) => [name, projectName(folder(name))] as const);
  for (const name of Object.keys(sessions)) mkdirSync(folder(name));
  for (const path of readdirSync(fixture, { recursive: true }).map(String)) {
    if (path === "manifest.json" || !statSync(join(fixture, path)).isFile()) continue;
    const target = join(
      home,
      places.reduce((at, [name, place]) => at.replace(`projects/${name}/`, `projects/${place}/`), path),
    );
    const text = places
      .reduce(
        (all, [name, place]) => all.replaceAll(`@PROJECT ${name}@`, place),
        readFileSync(join(fixture, path), "utf8"),
      )
      .replaceAll("@ROOT@", root);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, sealed(path, text), { mode: 0o600 });
  }
  return { home, sessions, folder };
}

/** Adds the check sums, in the format of version 0.1. */
function sealed(path: string, text: string): string {
  if (path.endsWith(".jsonl")) {
    const lines = text.split("\n").filter((line) => line !== "");
    return lines.map((line) => `\n${line.slice(0, -1)},"crc":"${hex(crc32(line.slice(0, -1)))}"}\n`).join("");
  }
  if (!path.includes("/presence/")) return text;
  const presence = text.trim();
  return `${presence.slice(0, -1)},"sum":${crc32(presence)}}`.padEnd(512);
}

const hex = (sum: number) => sum.toString(16).padStart(8, "0");

/** The project folder name, in the format of version 0.1. */
function projectName(path: string): string {
  const slug = path
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  const digest = createHash("sha256").update(Buffer.from(path, "utf16le")).digest();
  const letters = "0123456789abcdefghjkmnpqrstvwxyz";
  const hash = [...digest.subarray(0, 16)].map((byte) => letters[byte & 31]).join("");
  return `${slug.slice(-48).replace(/^-+/, "")}~${hash}`;
}
