/**
 * An immutable list that grows cheaply: `append` and `replaceAt` copy a few short arrays and share the rest, at any
 * length. Plain data, so that two lists with the same items are deeply equal.
 */
export interface ChunkedList<T> {
  readonly length: number;
  /** Number of node levels above the leaves of `root`. */
  readonly depth: number;
  readonly root: Node<T>;
  /** The last items, not in the tree yet: most appends change only this. */
  readonly tail: readonly T[];
}

/** A leaf contains items, any other node contains nodes, depending on the depth. */
type Node<T> = readonly (T | Node<T>)[];

const bits = 5;
const width = 1 << bits;

const empty: ChunkedList<never> = Object.freeze({
  length: 0,
  depth: 0,
  root: Object.freeze([]),
  tail: Object.freeze([]),
});

export function emptyList<T>(): ChunkedList<T> {
  return empty;
}

export function append<T>(list: ChunkedList<T>, item: T): ChunkedList<T> {
  if (list.tail.length < width) return { ...list, length: list.length + 1, tail: [...list.tail, item] };
  const inTree = list.length - width;
  const isFull = list.length > width && inTree === width << (bits * list.depth);
  const grown = {
    depth: isFull ? list.depth + 1 : list.depth,
    root:
      inTree === 0
        ? list.tail
        : isFull
          ? [list.root, newPath(list.depth, list.tail)]
          : withLeaf(list.root, list.depth, { at: inTree, leaf: list.tail }),
  };
  return { ...grown, length: list.length + 1, tail: [item] };
}

export function itemAt<T>(list: ChunkedList<T>, index: number): T | undefined {
  if (index < 0 || index >= list.length) return undefined;
  const inTree = list.length - list.tail.length;
  if (index >= inTree) return list.tail[index - inTree];
  let node = list.root;
  for (let level = list.depth; level > 0; level--) node = node[slot(index, level)] as Node<T>;
  return node[slot(index, 0)] as T;
}

export function replaceAt<T>(list: ChunkedList<T>, index: number, item: T): ChunkedList<T> {
  if (index < 0 || index >= list.length) throw new RangeError(`no item ${index} in a list of ${list.length}`);
  const inTree = list.length - list.tail.length;
  if (index >= inTree) return { ...list, tail: list.tail.with(index - inTree, item) };
  return { ...list, root: withItem(list.root, list.depth, { at: index, item }) };
}

export function* itemsOf<T>(list: ChunkedList<T>, from = 0): Generator<T, void, undefined> {
  for (let index = Math.max(0, from); index < list.length; index++) yield itemAt(list, index) as T;
}

export const toArray = <T>(list: ChunkedList<T>, from = 0): T[] => [...itemsOf(list, from)];

const slot = (index: number, level: number): number => (index >>> (bits * level)) & (width - 1);

function newPath<T>(depth: number, leaf: Node<T>): Node<T> {
  return depth === 0 ? leaf : [newPath(depth - 1, leaf)];
}

function withLeaf<T>(node: Node<T>, level: number, change: { at: number; leaf: Node<T> }): Node<T> {
  const place = slot(change.at, level);
  const child = node[place] as Node<T> | undefined;
  if (child === undefined) return [...node, newPath(level - 1, change.leaf)];
  return node.with(place, withLeaf(child, level - 1, change));
}

function withItem<T>(node: Node<T>, level: number, change: { at: number; item: T }): Node<T> {
  const place = slot(change.at, level);
  if (level === 0) return node.with(place, change.item);
  return node.with(place, withItem(node[place] as Node<T>, level - 1, change));
}
