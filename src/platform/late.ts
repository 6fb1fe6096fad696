/** A value that exists only after two parts that need each other are both created. */
export interface Late<T> {
  /** Throws if the value does not exist yet. */
  readonly get: () => T;
  readonly ifSet: () => T | undefined;
  set(value: T): void;
}

export function createLate<T>(what: string): Late<T> {
  let held: { readonly value: T } | undefined;
  return {
    get: () => {
      if (!held) throw new Error(`${what} does not exist yet`);
      return held.value;
    },
    ifSet: () => held?.value,
    set: (value) => {
      held = { value };
    },
  };
}
