import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { isDeeperThan, messageOf } from "../../protocol/index.ts";

/**
 * A record on disk is newline + JSON + newline. The first newline separates it from the rest of a killed writer's
 * record. An object has a checksum of its bytes as its last key, `crc`, so that a flipped bit inside a text is
 * detected. A line of another program has no checksum and is accepted as it is.
 */
export const encodeLine = (record: unknown): string => sealLine(jsonOf(record));

/** Throws for a value without a JSON form. */
export function jsonOf(record: unknown): string {
  const json = JSON.stringify(record) as string | undefined;
  if (json === undefined) throw new TypeError(`${typeof record} has no JSON form`);
  return json;
}

/** Like `encodeLine`, for a record that is already JSON. */
export function sealLine(json: string): string {
  if (json.charCodeAt(0) !== openingBrace || json.length === 2) return `\n${json}\n`;
  const body = json.slice(0, -1);
  return `\n${body}${checkKey}${checkSum(body)}"}\n`;
}

export type DecodedLine =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** `line` is without its newlines and is overwritten: the caller must own it. */
export function decodeLine(line: Buffer): DecodedLine {
  const checkAt = line.length - checkLength;
  if (!isSealedLine(line)) {
    return isUtf8(line) ? parseJson(line.toString("utf8")) : { ok: false, reason: "it is not UTF-8" };
  }
  const sum = line.toString("latin1", checkAt + checkKey.length, line.length - 2);
  if (sum !== checkSum(line.subarray(0, checkAt))) return { ok: false, reason: "its checksum does not match" };
  line[checkAt] = closingBrace;
  return parseJson(line.toString("utf8", 0, checkAt + 1));
}

/** True if the line has a checksum, so that `encodeLine` wrote it. Call it before decoding. */
export function isSealedLine(line: Buffer): boolean {
  const checkAt = line.length - checkLength;
  return (
    checkAt > 0 &&
    line[checkAt] === comma &&
    line[line.length - 1] === closingBrace &&
    line.toString("latin1", checkAt, checkAt + checkKey.length) === checkKey
  );
}

function parseJson(text: string): DecodedLine {
  try {
    const value = JSON.parse(text) as unknown;
    if (isDeeperThan(maxLevels, value)) return { ok: false, reason: `it is nested deeper than ${maxLevels} levels` };
    return { ok: true, value };
  } catch (error) {
    return { ok: false, reason: `it is not JSON: ${messageOf(error)}` };
  }
}

/** Far more than any record of ours has. */
const maxLevels = 1000;
const checkKey = ',"crc":"';
const checkLength = checkKey.length + 8 + 2;
const comma = 0x2c;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Eight hexadecimal digits. */
const checkSum = (data: string | Buffer): string => (0x1_0000_0000 + crc32(data)).toString(16).slice(1);
