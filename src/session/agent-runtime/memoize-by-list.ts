/** Caches a value computed from a list, and computes it again when the list has other elements. */
export function memoizeByList<T, R>(list: () => readonly T[], make: (list: readonly T[]) => R): () => R {
  let last: { list: readonly T[]; made: R } | undefined;
  return () => {
    const now = list();
    const same = last?.list.length === now.length && last.list.every((member, index) => member === now[index]);
    if (!last || !same) last = { list: now, made: make(now) };
    return last.made;
  };
}
