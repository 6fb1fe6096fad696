/**
 * Which ids have come before, in a space that does not grow with their number. It is never wrong: where it cannot know
 * any more it says so, and who asks looks where everything is kept, or takes it for one that has come.
 */
export interface SeenIds {
  add(id: string): void;
  has(id: string): Seen;
}

export interface SeenIdsOptions {
  /** How many are known for sure, at least. */
  readonly exact?: number;
  /** The larger, the fewer that come late are taken for one that may have come. A multiple of four. */
  readonly filterBytes?: number;
}

export type Seen = "yes" | "no" | "maybe";

/** Of ids that sort by the time they were made only one that comes very late can be a `maybe`. */
export function createSeenIds({ exact = 32, filterBytes = 4096 }: SeenIdsOptions = {}): SeenIds {
  /** The greatest ones, twice `exact` at most. */
  const held = new Set<string>();
  /** What is not held any more is not greater than this, and is in the filter. */
  let dropped: { readonly through: string; readonly filter: Filter } | undefined;

  const drop = () => {
    const smallest = [...held].sort().slice(0, -exact);
    const filter = dropped?.filter ?? createFilter(8 * filterBytes);
    let through = dropped?.through ?? "";
    for (const id of smallest) {
      held.delete(id);
      filter.add(id);
      if (id > through) through = id;
    }
    dropped = { through, filter };
  };

  return {
    add(id) {
      held.add(id);
      if (held.size >= 2 * exact) drop();
    },
    has(id) {
      if (held.has(id)) return "yes";
      if (dropped === undefined || id > dropped.through) return "no";
      return dropped.filter.mayHave(id) ? "maybe" : "no";
    },
  };
}

/** A Bloom filter: what it was given it always knows, and of what it was not given a few in a hundred after some thousands. */
interface Filter {
  add(id: string): void;
  mayHave(id: string): boolean;
}

const bitsOfEach = 4;

function createFilter(bits: number): Filter {
  const words = new Uint32Array(bits / 32);
  return {
    add(id) {
      for (const bit of bitsOf(id, bits)) words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31));
    },
    mayHave: (id) => bitsOf(id, bits).every((bit) => ((words[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0),
  };
}

/** Two hashes in the manner of FNV, and from these as many as are needed. */
function bitsOf(id: string, bits: number): number[] {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let i = 0; i < id.length; i++) {
    first = Math.imul(first ^ id.charCodeAt(i), 0x01000193);
    second = Math.imul(second ^ id.charCodeAt(i), 0x5bd1e995);
    second ^= second >>> 15;
  }
  return Array.from({ length: bitsOfEach }, (_, times) => ((first + times * (second | 1)) >>> 0) % bits);
}
