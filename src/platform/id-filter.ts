/**
 * Which ids have come before, in a space that does not grow with their number. It is never wrong: where it cannot know
 * any more it says so, and who asks looks where everything is kept, or takes it for one that has come.
 */
export interface IdFilter {
  add(id: string): void;
  has(id: string): IdMatch;
}

export interface IdFilterOptions {
  /** How many are known for sure, at least. */
  readonly exact?: number;
  /** The larger, the fewer that come late are taken for one that may have come. A multiple of four. */
  readonly filterBytes?: number;
}

export type IdMatch = "yes" | "no" | "maybe";

/** Of ids that sort by the time they were made only one that comes very late can be a `maybe`. */
export function createIdFilter({ exact = 32, filterBytes = 4096 }: IdFilterOptions = {}): IdFilter {
  /** The greatest ones in their order, twice `exact` at most. */
  const held: string[] = [];
  /** What is not held any more is not greater than this, and is in the filter. */
  let dropped: { through: string; readonly filter: BloomFilter } | undefined;

  const drop = () => {
    const smallest = held.splice(0, held.length - exact);
    dropped ??= { through: "", filter: createBloomFilter(8 * filterBytes) };
    for (const id of smallest) dropped.filter.add(id);
    const through = smallest.at(-1);
    if (through !== undefined && through > dropped.through) dropped.through = through;
  };

  return {
    add(id) {
      // They come in their order as a rule.
      let at = held.length;
      while (at > 0 && (held[at - 1] as string) > id) at -= 1;
      if (held[at - 1] === id) return;
      if (at === held.length) held.push(id);
      else held.splice(at, 0, id);
      if (held.length >= 2 * exact) drop();
    },
    has(id) {
      if (held.includes(id)) return "yes";
      if (dropped === undefined || id > dropped.through) return "no";
      return dropped.filter.mayHave(id) ? "maybe" : "no";
    },
  };
}

/** A Bloom filter: what it was given it always knows, and of what it was not given a few in a hundred after some thousands. */
interface BloomFilter {
  add(id: string): void;
  mayHave(id: string): boolean;
}

const bitsPerId = 4;
/** Of the end of an id, which is the part that differs. */
const hashedLength = 20;

function createBloomFilter(bits: number): BloomFilter {
  const words = new Uint32Array(bits / 32);
  return {
    add(id) {
      let bit = hashOf(id);
      const step = stepOf(bit);
      for (let times = 0; times < bitsPerId; times++, bit = (bit + step) >>> 0) {
        const at = bit % bits;
        words[at >>> 5] = (words[at >>> 5] as number) | (1 << (at & 31));
      }
    },
    mayHave(id) {
      let bit = hashOf(id);
      const step = stepOf(bit);
      for (let times = 0; times < bitsPerId; times++, bit = (bit + step) >>> 0) {
        const at = bit % bits;
        if (((words[at >>> 5] as number) & (1 << (at & 31))) === 0) return false;
      }
      return true;
    },
  };
}

/** In the manner of FNV. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = Math.max(0, id.length - hashedLength); i < id.length; i++)
    hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** From one bit of an id to the next: odd, and another for another hash. */
const stepOf = (hash: number): number => (Math.imul(hash ^ (hash >>> 13), 0x5bd1e995) | 1) >>> 0;
