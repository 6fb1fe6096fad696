// Loaded before an example: what it has made in the folder for temporary files is left to the recorder, which removes it.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";

const remove = fs.promises.rm;
fs.promises.rm = async (path, options) => {
  if (dirname(resolve(String(path))) !== tmpdir()) await remove(path, options);
};
syncBuiltinESMExports();
