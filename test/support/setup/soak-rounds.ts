/** True in `npm run soak -- --tests`, which runs the tests that import this file at full length. */
export const isSoak = process.env["SOAK"] === "1";

/** How often a test repeats: few times in the suite, many in a soak. `KILL_ROUNDS` sets another number. */
export const soakRounds = ({ suite, soak }: { readonly suite: number; readonly soak: number }): number =>
  Number(process.env["KILL_ROUNDS"] ?? (isSoak ? soak : suite));
