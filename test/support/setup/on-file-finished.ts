const cleanups: (() => unknown)[] = [];

/** When all tests of the file that runs have ended; what came last is done first. */
export const onFileFinished = (clean: () => unknown): void => void cleanups.push(clean);

export async function finishFile(): Promise<void> {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}
