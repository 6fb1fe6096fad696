import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, storageError, writeFileAtomic } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import type { MailBodies } from "./inbox.ts";

/** Each body is in a separate file and is kept as long as the team, since its reader may open it again. */
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
      if (path === undefined) throw new TroupeError("mail", `${JSON.stringify(name)} is not a mail body.`);
      try {
        return await readFile(path, "utf8");
      } catch (error) {
        throw storageError("read", path, error);
      }
    },
  };
}

const bodyName = /^mail_[0-9a-z]{8,40}\.txt$/;
