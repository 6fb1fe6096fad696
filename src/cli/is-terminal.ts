/** Somebody sits in front of it: a screen can be shown, and keys be heard. */
export const isTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY;
