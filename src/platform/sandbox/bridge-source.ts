/**
 * Programs that run inside the sandbox before the command. They forward connections to a port of the sandbox's loopback
 * address to the proxy socket, and end with the sandbox. Perl starts in a tenth of the time of node.
 */
export const perlBridge = `
use Socket;
my ($path, $port) = splice(@ARGV, 0, 2);
socket(my $server, PF_INET, SOCK_STREAM, 0) or die "the sandbox has no socket: $!\\n";
bind($server, sockaddr_in($port, INADDR_LOOPBACK)) or die "the sandbox cannot use port $port: $!\\n";
listen($server, SOMAXCONN) or die "the sandbox cannot listen: $!\\n";
defined(my $first = fork) or die "the sandbox cannot fork: $!\\n";
if ($first) {
  waitpid($first, 0);
  exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";
}
exit if fork;
open(STDIN, "<", "/dev/null");
open(STDOUT, ">", "/dev/null");
open(STDERR, ">", "/dev/null");
if (fileno($server) != 3 && open(my $side, "<&=", 3)) { close($side); }
$SIG{CHLD} = "IGNORE";
sub copy {
  my ($from, $to) = @_;
  while (sysread($from, my $data, 65536)) {
    while (length $data) {
      my $sent = syswrite($to, $data);
      return unless defined $sent;
      substr($data, 0, $sent) = "";
    }
  }
  shutdown($to, 1);
}
while (1) {
  accept(my $inner, $server) or exit 1;
  next if fork;
  close($server);
  socket(my $outer, PF_UNIX, SOCK_STREAM, 0) or exit 1;
  connect($outer, sockaddr_un($path)) or exit 1;
  if (fork) { copy($inner, $outer); } else { copy($outer, $inner); }
  exit;
}
`;

export const nodeBridge = `
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
