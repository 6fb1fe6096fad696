/** The exit codes of the process. `docs/reference/headless.md` is the contract. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** Nothing was started: a flag, setting, key, file or session is invalid. */
  usage: 2,
  limit: 3,
  interrupted: 130,
} as const;
