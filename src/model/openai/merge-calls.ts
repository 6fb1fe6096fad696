import type { WireCall } from "./wire-chunk.ts";

export interface DraftCall {
  id: string;
  name: string;
  json: string;
  readonly index: number | undefined;
}

/**
 * Adds a piece of a call to the calls so far and returns the call it belongs to. The protocol numbers calls and sends
 * each name once. Some servers send whole calls under the same number, without a number or id, or repeat the name each
 * time.
 */
export function mergeCall(calls: DraftCall[], piece: WireCall): DraftCall {
  const call = findCall(calls, piece) ?? beginCall(calls, piece);
  call.id ||= piece.id ?? "";
  call.name ||= piece.function?.name ?? "";
  call.json += textOf(piece);
  return call;
}

function findCall(calls: readonly DraftCall[], piece: WireCall): DraftCall | undefined {
  const index = piece.index ?? undefined;
  const last = calls.at(-1);
  const known =
    (piece.id && calls.find((call) => call.id === piece.id && call.index === index)) ||
    (index === undefined ? last : calls.findLast((call) => call.index === index));
  if (!known) return undefined;
  if (piece.id && known.id && piece.id !== known.id) return undefined;
  const startsAnew = Boolean(piece.function?.name) && !piece.id && isWhole(known.json) && textOf(piece) !== "";
  return startsAnew ? undefined : known;
}

function beginCall(calls: DraftCall[], piece: WireCall): DraftCall {
  const call: DraftCall = { id: "", name: "", json: "", index: piece.index ?? undefined };
  calls.push(call);
  return call;
}

export const textOf = (piece: WireCall): string => {
  const given = piece.function?.arguments ?? "";
  return typeof given === "string" ? given : JSON.stringify(given);
};

function isWhole(json: string): boolean {
  if (!json.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(json);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
