// Preloaded into an example. The example then keeps its temporary folder, and the recorder reads and removes it.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";

const remove = fs.promises.rm;
fs.promises.rm = async (path, options) => {
  if (dirname(resolve(String(path))) !== tmpdir()) await remove(path, options);
};
syncBuiltinESMExports();
