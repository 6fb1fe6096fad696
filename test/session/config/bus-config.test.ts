import { expect, test } from "vitest";
import { busConfig } from "../../../src/session/config/bus-config.ts";

const place = (env: Record<string, string> = {}) => ({ env, userHome: "/home/anna" });

test("no bus unless configured", () => {
  expect(busConfig({}, place())).toBeUndefined();
  expect(busConfig({ credentialsFile: "x" }, place({ TROUPE_BUS: " " }))).toBeUndefined();
});

test("the environment variable overrides the settings; other bus settings still apply", () => {
  const settings = { servers: "nats://a:4222", credentialsFile: "~/bus.creds", tls: { caFile: "/etc/ca.pem" } };
  expect(busConfig(settings, place())).toMatchObject({ servers: ["nats://a:4222"] });
  expect(busConfig(settings, place({ TROUPE_BUS: "nats://b:4222, nats://c:4222" }))).toMatchObject({
    servers: ["nats://b:4222", "nats://c:4222"],
    credentialsFile: "/home/anna/bus.creds",
    tls: { caFile: "/etc/ca.pem" },
  });
});

test("--bus overrides the environment variable, and an empty --bus is an error", () => {
  const at = place({ TROUPE_BUS: "nats://b:4222" });
  expect(busConfig({}, { ...at, flag: "nats://c:4222" })).toMatchObject({ servers: ["nats://c:4222"] });
  expect(() => busConfig({}, { ...at, flag: " " })).toThrow("--bus is empty");
});
