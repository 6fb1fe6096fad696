const kept = 8_000;

/** Keeps the end of a growing text. It is cut only at twice the length, so that appending stays cheap. */
export function appendTail(tail: string, text: string): string {
  const whole = tail + text;
  return whole.length > 2 * kept ? whole.slice(-kept) : whole;
}
