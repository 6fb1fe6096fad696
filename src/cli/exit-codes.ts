/** What the process says to whoever started it. `docs/headless.md` is the contract. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** Nothing was started: a flag, a setting, a key, a file or a session that is not as it must be. */
  usage: 2,
  limit: 3,
  interrupted: 130,
} as const;
