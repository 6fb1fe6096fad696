/** True if the process can show a screen and read keys. */
export const isTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY;
