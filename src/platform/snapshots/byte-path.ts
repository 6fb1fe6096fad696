import { join } from "node:path";

/**
 * Git's paths are bytes. Here each character of a path is one byte, so that names that are not UTF-8 survive. Returns
 * the path for a call of the file system.
 */
export const toBytes = (folder: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(join(folder, "x").slice(0, -1)), Buffer.from(path, "latin1")]);

/** The path as people read it. */
export const toText = (path: string): string => Buffer.from(path, "latin1").toString("utf8");

/** The path in quotes, as `git fast-import` reads it. */
export const quotePath = (path: string): string =>
  `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;

/** Splits the output of `git … -z`. */
export const splitNul = (bytes: Buffer): string[] => bytes.toString("latin1").split("\0").filter(Boolean);
