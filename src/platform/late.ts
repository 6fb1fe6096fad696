/** A value that exists only after two parts that need each other are both created. */
export interface Late<T> {
  /** Throws if the value does not exist yet. */
  readonly get: () => T;
  /** Calls `use` with the value: at once, or when the value exists. */
  readonly whenSet: (use: (value: T) => void) => void;
  set(value: T): void;
}

export function createLate<T>(what: string): Late<T> {
  let held: { readonly value: T } | undefined;
  const waiting: ((value: T) => void)[] = [];
  return {
    get: () => {
      if (!held) throw new Error(`${what} does not exist yet`);
      return held.value;
    },
    whenSet: (use) => {
      if (held) use(held.value);
      else waiting.push(use);
    },
    set: (value) => {
      held = { value };
      for (const use of waiting.splice(0)) use(value);
    },
  };
}
