/** Somebody who rests and can be put away: what it holds is given back, and had again when it is woken. */
interface Evictable {
  evict(): void;
}

/** So many agents that have finished stay as they are; they are the likeliest to be sent on. */
export const maxIdleInMemory = 16;

/** Puts those away that have rested longest, so that however many agents have finished, few of them hold anything. */
export function createIdleCache(most = maxIdleInMemory) {
  const idle = new Set<Evictable>();
  return {
    rests(one: Evictable) {
      idle.delete(one);
      idle.add(one);
      for (const oldest of idle) {
        if (idle.size <= most) return;
        idle.delete(oldest);
        oldest.evict();
      }
    },
    wakes: (one: Evictable) => void idle.delete(one),
  };
}
