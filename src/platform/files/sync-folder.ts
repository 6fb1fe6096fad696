import { open } from "node:fs/promises";

/** A new or renamed file survives a power cut only after its folder is synced too. Windows has no such call. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
