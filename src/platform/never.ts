/** A new promise that does not settle. A shared one would keep everything in memory that ever waited for it. */
export const never = (): Promise<never> => new Promise(() => undefined);
