import { append, type ChunkedList, emptyList, itemAt, itemsOf, replaceAt } from "./chunked-list.ts";

/** An immutable map. Changing a value is cheap at any size; adding a key copies the keys. */
export interface KeyedList<K, V> {
  /** In the order in which the keys were added. */
  readonly values: ChunkedList<V>;
  readonly index: ReadonlyMap<K, number>;
}

export const emptyKeyed = <K, V>(): KeyedList<K, V> => ({ values: emptyList(), index: new Map() });

export function valueAt<K, V>({ values, index }: KeyedList<K, V>, key: K): V | undefined {
  const at = index.get(key);
  return at === undefined ? undefined : itemAt(values, at);
}

export function withValue<K, V>({ values, index }: KeyedList<K, V>, key: K, value: V): KeyedList<K, V> {
  const at = index.get(key);
  if (at !== undefined) return { index, values: replaceAt(values, at, value) };
  return { index: new Map(index).set(key, values.length), values: append(values, value) };
}

export const valuesOf = <K, V>({ values }: KeyedList<K, V>): Generator<V, void, undefined> => itemsOf(values);
