import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createEgressProxy, type EgressProxy } from "../../../src/platform/sandbox/egress-proxy.ts";
import { isForbiddenAddress, judgeHost, parseAllowedHost } from "../../../src/platform/sandbox/judge-host.ts";
import { openSandboxBench, type SandboxBench } from "../../support/tools/sandbox-bench.ts";

describe("reachable hosts", () => {
  const allowed = ["packages.example.org", "GitHub.com", "local.test:8080", "10.0.0.7", "[2001:db8::1]:443"].map(
    parseAllowedHost,
  );

  it.each([
    "packages.example.org:443",
    "packages.example.org:80",
    "Packages.EXAMPLE.org:443",
    "github.com:443",
    "local.test:8080",
    "10.0.0.7:80",
    "[2001:db8::1]:443",
  ])("%s: yes", (authority) => expect(judgeHost(authority, allowed)).toMatchObject({ ok: true }));

  it.each([
    "packages.example.org:22",
    "packages.example.org:8080",
    "packages.example.org",
    "packages.example.org.:443",
    "packages.example.org..:443",
    "packages.example.org.evil.com:443",
    "evilpackages.example.org:443",
    "evil-packages.example.org:443",
    "x.packages.example.org:443",
    "example.org:443",
    "org:443",
    "packages.example.org\0.evil.com:443",
    "evil.com\0packages.example.org:443",
    "packages.example.org%00.evil.com:443",
    "registry%2eexample.org:443",
    "evil.com#packages.example.org:443",
    "evil.com@packages.example.org:443",
    "packages.example.org@evil.com:443",
    "packages.example.org:443@evil.com:443",
    "packages.example.org:443:443",
    "packages.example.org:0443",
    "packages.example.org:65979",
    "packages.example.org: 443",
    " packages.example.org:443",
    "packages.example.org\r\n:443",
    "packages。example。org:443",
    "regıstry.example.org:443",
    "packages.example.org/:443",
    "*.example.org:443",
    "local.test:80",
    "10.0.0.7.:80",
    "10.0.7:80",
    "0xa.0.0.7:80",
    "167772167:80",
    "[::ffff:10.0.0.7]:80",
    "169.254.169.254:80",
    "metadata.google.internal:80",
    "127.0.0.1:443",
    "localhost:443",
    "[::1]:443",
    "[2001:db8:0:0::1]:443",
    "",
    ":443",
    "[]:443",
    `${"a".repeat(64)}.com:443`,
    `${"a.".repeat(130)}com:443`,
  ])("%j: no", (authority) => expect(judgeHost(authority, allowed)).toMatchObject({ ok: false }));

  it("no host when the list is empty", () => {
    expect(judgeHost("packages.example.org:443", [])).toMatchObject({ ok: false });
  });

  it.each(["https://a.com", "a.com/", "*.a.com", "*", "a.com.", "a b.com", "", "user@a.com", "a.com:0", "a.com:99999"])(
    "a setting that is not a host is an error: %j",
    (text) => expect(() => parseAllowedHost(text)).toThrow(/is not a host/),
  );

  it.each([
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "169.254.169.254",
    "100.100.100.200",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "fe80::1",
    "fd00:ec2::254",
    "64:ff9b::7f00:1",
    "ff02::1",
    "not an address",
  ])("a name may not resolve to %s", (address) => expect(isForbiddenAddress(address)).toBe(true));

  it.each(["93.184.216.34", "10.0.0.7", "192.168.1.5", "2606:2800:220:1::1"])("a name may resolve to %s", (address) =>
    expect(isForbiddenAddress(address)).toBe(false),
  );
});

describe("proxy", () => {
  let origin: Server;
  let port: number;
  let proxy: EgressProxy | undefined;
  let bench: SandboxBench | undefined;
  const asked: IncomingMessage[] = [];

  beforeAll(async () => {
    origin = createServer((request, response) => {
      asked.push(request);
      response.end(`hello ${request.method} ${request.url} ${request.headers.host}`);
    });
    await new Promise<void>((resolve) => origin.listen(0, "127.0.0.1", resolve));
    port = (origin.address() as { port: number }).port;
  });
  afterAll(() => origin.close());
  afterEach(async () => {
    await proxy?.close();
    await bench?.close();
    proxy = bench = undefined;
    asked.length = 0;
  });

  /** Sends the bytes and returns the answer. */
  const send = (to: number, bytes: string) =>
    new Promise<string>((resolve, reject) => {
      let text = "";
      const socket = connect(to, "127.0.0.1", () => socket.write(bytes));
      socket.on("data", (chunk) => (text += chunk.toString("latin1")));
      socket.on("close", () => resolve(text)).on("error", reject);
    });

  const open = async (hosts: string[], addresses: Record<string, string> = {}) => {
    proxy = createEgressProxy(hosts.map(parseAllowedHost), (host) => Promise.resolve(addresses[host] ?? host));
    return (await proxy.listen(0)) ?? 0;
  };

  it("forwards plain requests to the host of the address, ignoring the header", async () => {
    const at = await open([`127.0.0.1:${port}`]);
    const said = await send(
      at,
      `GET http://127.0.0.1:${port}/a?b HTTP/1.1\r\nHost: evil.com\r\nProxy-Authorization: x\r\nConnection: close\r\n\r\n`,
    );
    expect(said).toContain(`hello GET /a?b 127.0.0.1:${port}`);
    expect(asked[0]?.headers["proxy-authorization"]).toBeUndefined();
  });

  it("tunnels", async () => {
    const at = await open([`127.0.0.1:${port}`]);
    const request = "GET /t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    expect(await send(at, `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n${request}`)).toMatch(
      /^HTTP\/1.1 200[^]*hello GET \/t x/,
    );
  });

  it.each([
    ["CONNECT evil.com:443 HTTP/1.1\r\n\r\n", "not in sandbox.network.allow"],
    ["CONNECT good.test.:80 HTTP/1.1\r\n\r\n", "not a host name"],
    ["CONNECT good.test:80 HTTP/1.1\r\n\r\n", "resolves to 127.0.0.1, which is not a public address"],
    ["CONNECT meta.test:80 HTTP/1.1\r\n\r\n", "resolves to 169.254.169.254"],
    ["GET http://evil.com/ HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n\r\n", "evil.com:80 is not in"],
    [
      "GET http://good.test@evil.com/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "only absolute http addresses are forwarded",
    ],
    ["GET / HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n\r\n", "only absolute http addresses are forwarded"],
    [
      "GET https://good.test/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      "only absolute http addresses are forwarded",
    ],
  ])("refuses %j", async (bytes, reason) => {
    const at = await open(["good.test", "meta.test"], { "good.test": "127.0.0.1", "meta.test": "169.254.169.254" });
    const said = await send(at, bytes);
    expect(said).toMatch(/^HTTP\/1.1 403/);
    expect(said).toContain(reason);
    expect(asked).toEqual([]);
  });

  it("is the only way out of the sandbox", async () => {
    bench = await openSandboxBench({ hosts: [`127.0.0.1:${port}`] });
    const ask = (url: string) =>
      `$NODE -e 'require("node:http").get({ host: "127.0.0.1", port: 3128, path: "${url}" }, (r) => { r.setEncoding("utf8").on("data", (t) => console.log(r.statusCode, t)) })'`;
    const { exitCode, output } = await bench.run(
      `echo $HTTPS_PROXY; ${ask(`http://127.0.0.1:${port}/in`)}; ${ask("http://evil.test/")}; (exec 9<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo ESCAPED; exit 3`,
    );
    expect(exitCode).toBe(3);
    expect(output).toBe(
      `http://127.0.0.1:3128\n200 hello GET /in 127.0.0.1:${port}\n403 Blocked by Troupe's sandbox: evil.test:80 is not in sandbox.network.allow.`,
    );
  });
});
