const cleanups: (() => unknown)[] = [];

/** Runs when all tests of the current file have ended, in reverse order of registration. */
export const onFileFinished = (clean: () => unknown): void => void cleanups.push(clean);

export async function finishFile(): Promise<void> {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}
