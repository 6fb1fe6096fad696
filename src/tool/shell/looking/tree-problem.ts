import { isInside } from "../../../platform/index.ts";
import type { Disk } from "../../permissions/disk.ts";
import { isSecretPath } from "../../permissions/secret-paths.ts";
import { mayRead, type ShellContext } from "../shell-context.ts";

/** More entries than these are not checked one by one. */
const mostEntries = 30_000;

export interface TreeEntry {
  /** Absolute. No part of it is a link, but the last one may be. */
  readonly path: string;
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

export interface TreeSearch {
  /** Only entries with such names are read. */
  readonly names?: ((name: string) => boolean) | undefined;
  /** True if links are followed. */
  readonly follows: boolean;
  /** True if hidden files and folders are left out. */
  readonly skipsHidden?: boolean | undefined;
  /** True if the names are split into words afterwards: they must be plain. */
  readonly plain?: boolean | undefined;
}

/** Returns why a program that reads everything below a folder reads more than it may. */
export function treeProblem(
  folder: string,
  search: TreeSearch,
  place: Pick<ShellContext, "disk" | "roots" | "readable" | "isDenied">,
): string | undefined {
  const { names = () => true, follows, plain = false } = search;
  const entries = entriesBelow(folder, place.disk, search.skipsHidden ?? false);
  if (entries === undefined) return `${folder} holds too many files to check`;
  for (const { path, name, kind } of entries) {
    if (kind === "link" && follows && (names(name) || place.disk.kindOf(place.disk.realPath(path)) === "folder")) {
      const target = place.disk.realPath(path);
      if (!mayRead(target, place)) return `${path} leads out of the working folders`;
      if (isSecretPath(target)) return `${path} leads to ${target}, which looks like a file with secrets`;
      if (place.disk.kindOf(target) === "folder" && !isInside(target, folder)) return `${path} leads to another folder`;
    }
    if (names(name) && place.isDenied?.(path)) return `a rule denies reading ${path}`;
    if (kind !== "folder" && names(name) && isSecretPath(path)) return `${path} looks like a file with secrets`;
    if (plain && (kind === "folder" || names(name)) && !/^[\w.@+=,:~%][\w.@+=,:~%-]*$/.test(name))
      return `the name of ${path} is not plain`;
  }
  return undefined;
}

/** Returns everything below a folder, without following links, or undefined if there is too much. */
export function entriesBelow(folder: string, disk: Disk, skipsHidden: boolean): readonly TreeEntry[] | undefined {
  const found: TreeEntry[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const { name, kind } of disk.entriesIn(at) ?? []) {
      if (skipsHidden && name.startsWith(".")) continue;
      const path = at === "/" ? `/${name}` : `${at}/${name}`;
      found.push({ path, name, kind });
      if (kind === "folder") folders.push(path);
    }
    if (found.length > mostEntries) return undefined;
  }
  return found;
}

/** Names of files with secrets. A pattern that matches none of them is taken for harmless. */
const secretNames = (
  ".env .env.local .env.production id_rsa id_dsa id_ecdsa id_ed25519 .netrc .pgpass .npmrc .pypirc .htpasswd " +
  ".git-credentials x.pem x.key x.p12 x.pfx x.jks x.keystore x.kdbx credentials credentials.json credentials.yml " +
  "credentials.yaml credentials.toml credentials.ini credentials.txt secret secrets secret.json secrets.json secrets.yml " +
  "secrets.yaml secrets.toml secrets.ini secrets.txt secret.yml secret.yaml secret.toml secret.ini secret.txt"
).split(" ");

/** True if a pattern for names could match a file with secrets. */
export function couldNameSecret(test: (name: string) => boolean): boolean {
  return secretNames.some((name) => test(name) || test(name.toUpperCase()) || test(`x/${name}`));
}
