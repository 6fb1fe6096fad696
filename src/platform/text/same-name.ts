/** Returns the name that is meant: the same one, or else the only one that differs in its case. */
export function sameName(wanted: string, names: readonly string[]): string | undefined {
  if (names.includes(wanted)) return wanted;
  const lower = wanted.toLowerCase();
  const [name, ...others] = new Set(names.filter((each) => each.toLowerCase() === lower));
  return others.length === 0 ? name : undefined;
}
