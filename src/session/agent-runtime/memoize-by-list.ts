/** What is made of a list, made again only when the list has other members. */
export function memoizeByList<T, R>(list: () => readonly T[], make: (list: readonly T[]) => R): () => R {
  let last: { list: readonly T[]; made: R } | undefined;
  return () => {
    const now = list();
    const same = last?.list.length === now.length && last.list.every((member, index) => member === now[index]);
    if (!last || !same) last = { list: now, made: make(now) };
    return last.made;
  };
}
