import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { TroupeError } from "../protocol/index.ts";

/** A file of the dashboard, kept in memory. Requests look up a key of a map, never a path on disk. */
export interface Asset {
  readonly type: string;
  readonly etag: string;
  /** True if its name contains its hash. */
  readonly isImmutable: boolean;
  /** Compressed at the first request for the encoding, then cached. */
  body(encoding: Encoding): Promise<Uint8Array<ArrayBuffer>>;
  readonly encodings: readonly Encoding[];
}

export type Encoding = "br" | "gzip" | "identity";

/** By request path: `/assets/index-….js`; `/` is the page itself. */
export type Assets = ReadonlyMap<string, Asset>;

export async function loadAssets(folder: string): Promise<Assets> {
  if (!existsSync(join(folder, "index.html")))
    throw new TroupeError(
      "usage",
      `cannot start the dashboard: ${folder} has no index.html. Build it with 'npm run build'.`,
    );
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const assets = new Map<string, Asset>();
  for (const file of files) {
    const path = relative(folder, file).split(sep).join("/");
    const asset = createAsset(path, new Uint8Array(await readFile(file)));
    assets.set(path === "index.html" ? "/" : `/${path}`, asset);
  }
  return assets;
}

function createAsset(path: string, bytes: Uint8Array<ArrayBuffer>): Asset {
  const type = types[extname(path)] ?? "application/octet-stream";
  const packed = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>([["identity", Promise.resolve(bytes)]]);
  return {
    type,
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    isImmutable: path.startsWith("assets/"),
    encodings: isText.test(type) && bytes.length > smallest ? ["br", "gzip", "identity"] : ["identity"],
    body(encoding) {
      const known = packed.get(encoding) ?? pack(bytes, encoding);
      packed.set(encoding, known);
      return known;
    },
  };
}

/** Compression hardly matters on the same machine, but it does through a forwarded port. */
async function pack(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const packed =
    encoding === "br"
      ? await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
      : await promisify(gzip)(bytes);
  return new Uint8Array(packed);
}

const smallest = 1024;
const isText = /^text\/|javascript|json|svg/;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};
