/** An idle agent that can be evicted from memory and opened again on resume. */
interface Evictable {
  evict(): void;
}

/** The number of finished agents that stay in memory. They are the most likely to be resumed. */
export const maxIdleInMemory = 16;

/** Evicts the agents that have been idle longest, so that only a few finished agents use memory. */
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
