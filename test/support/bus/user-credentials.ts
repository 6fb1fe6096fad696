import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nkeys } from "@nats-io/transport-node";
import { temporaryFolder } from "../files/temporary-folder.ts";

type KeyPair = ReturnType<typeof nkeys.createUser>;

export const seedOf = (pair: KeyPair): string => new TextDecoder().decode(pair.getSeed());

export function fileWith(text: string): string {
  const path = join(temporaryFolder(), "secret");
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** The same credentials as `nsc` creates: an operator that signs an account, which signs a user. */
export function makeOperator(): { readonly config: string; readonly userFile: () => string } {
  const operator = nkeys.createOperator();
  const account = nkeys.createAccount();
  const system = nkeys.createAccount();
  const limits = { subs: -1, data: -1, payload: -1 };
  const unlimited = { ...limits, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const storage = { mem_storage: 64_000_000, disk_storage: 1_000_000_000, streams: -1, consumer: -1 };
  const accountJwt = (of: KeyPair, name: string, more = {}) =>
    jwt(operator, { of, name, nats: { type: "account", version: 2, limits: { ...unlimited, ...more } } });
  const operatorJwt = jwt(operator, { of: operator, name: "o", nats: { type: "operator", version: 2 } });
  const known = [
    `${account.getPublicKey()}: ${accountJwt(account, "crew", storage)}`,
    `${system.getPublicKey()}: ${accountJwt(system, "sys")}`,
  ];
  return {
    config: `operator: ${operatorJwt}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: { ${known.join("\n")} }`,
    userFile: () => {
      const user = nkeys.createUser();
      const token = jwt(account, {
        of: user,
        name: "u",
        nats: { type: "user", version: 2, pub: {}, sub: {}, ...limits },
      });
      return `-----BEGIN NATS USER JWT-----\n${token}\n------END NATS USER JWT------\n
-----BEGIN USER NKEY SEED-----\n${seedOf(user)}\n------END USER NKEY SEED------\n`;
    },
  };
}

function jwt(issuer: KeyPair, { of, name, nats }: { of: KeyPair; name: string; nats: object }): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const iat = Math.floor(Date.now() / 1000);
  const claims = { jti: name, iat, iss: issuer.getPublicKey(), name, sub: of.getPublicKey(), nats };
  const text = `${part({ typ: "JWT", alg: "ed25519-nkey" })}.${part(claims)}`;
  return `${text}.${Buffer.from(issuer.sign(new TextEncoder().encode(text))).toString("base64url")}`;
}
