/**
 * Remembers which ids have occurred, in constant space. It is never wrong: if it cannot know, it answers `maybe`. The
 * caller then looks in the full record, or treats the id as known.
 */
export interface IdFilter {
  add(id: string): void;
  has(id: string): IdMatch;
}

export interface IdFilterOptions {
  /** Minimum number of ids that are known exactly. */
  readonly exact?: number;
  /** Size of the filter; a multiple of four. A larger filter gives fewer `maybe` answers for late ids. */
  readonly filterBytes?: number;
}

export type IdMatch = "yes" | "no" | "maybe";

/** For ids that sort by creation time, only a very late id can be a `maybe`. */
export function createIdFilter({ exact = 32, filterBytes = 4096 }: IdFilterOptions = {}): IdFilter {
  /** The greatest ids in order, at most twice `exact`. */
  const held: string[] = [];
  /** Dropped ids are not greater than `through`, and are in the filter. */
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
      // Ids usually arrive in order.
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

/**
 * A Bloom filter: it always knows added ids. For other ids it is wrong in a few percent of cases after some thousands
 * of entries.
 */
interface BloomFilter {
  add(id: string): void;
  mayHave(id: string): boolean;
}

const bitsPerId = 4;
/** Length of the hashed end of an id, the part that differs. */
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

/** A variant of FNV. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = Math.max(0, id.length - hashedLength); i < id.length; i++)
    hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The step from one bit of an id to the next: odd, and dependent on the hash. */
const stepOf = (hash: number): number => (Math.imul(hash ^ (hash >>> 13), 0x5bd1e995) | 1) >>> 0;
