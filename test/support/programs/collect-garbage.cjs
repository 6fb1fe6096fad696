// `node --require collect-garbage.cjs PROGRAM`: runs the program with a garbage collection every 50 ms.
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
setInterval(() => collect(), 50).unref();
