/**
 * A program for `node -e` inside the sandbox. It forwards connections to a port of the sandbox's loopback address to
 * the proxy socket. It runs the command and exits as the command exits.
 */
export const bridgeSource = `
const net = require("node:net");
const { spawn } = require("node:child_process");
const { argv } = process;
const [socket, port, command, ...args] = argv.slice(1);
const server = net.createServer((inner) => {
  const outer = net.connect(socket);
  inner.on("error", () => outer.destroy());
  outer.on("error", () => inner.destroy());
  inner.pipe(outer).pipe(inner);
});
server.listen(Number(port), "127.0.0.1", () => {
  const child = spawn(command, args, { stdio: ["inherit", "inherit", "inherit", "inherit"] });
  child.on("error", (error) => {
    console.error(error.message);
    process.exit(127);
  });
  child.on("exit", (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code)));
});
`;
