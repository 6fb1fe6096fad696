import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, storageError, writeFileAtomic } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import type { MailBodies } from "./inbox.ts";

/** Each in a file of its own, kept as long as the team: who has read the mail may come back to it. */
export function openMailBodies(folder: string): MailBodies {
  const pathOf = (name: string) => (bodyName.test(name) ? join(folder, name) : undefined);

  return {
    pathOf,
    async save(id, text) {
      const name = `${id}.txt`;
      await makeFolder(folder);
      await writeFileAtomic(join(folder, name), text);
      return name;
    },
    async read(name) {
      const path = pathOf(name);
      if (path === undefined) throw new TroupeError("mail", `${JSON.stringify(name)} is not the body of a mail.`);
      try {
        return await readFile(path, "utf8");
      } catch (error) {
        throw storageError("read", path, error);
      }
    },
  };
}

const bodyName = /^mail_[0-9a-z]{8,40}\.txt$/;
