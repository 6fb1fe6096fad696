type Optional<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** The object without the fields that are undefined. */
export function definedFields<T extends object>(
  fields: T,
): Omit<T, Optional<T>> & { readonly [K in Optional<T>]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as ReturnType<typeof definedFields<T>>;
}
