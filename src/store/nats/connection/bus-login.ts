import { readFileSync } from "node:fs";
import { type Authenticator, credsAuthenticator, nkeyAuthenticator } from "@nats-io/transport-node";
import { messageOf, TroupeError } from "../../../protocol/index.ts";

/**
 * Authenticates with a file: a user's JWT and seed, or only the seed of an nkey. The file is read again on every
 * reconnect, so that credentials can be renewed while a team runs.
 */
export function loginFromFile(path: string): Authenticator {
  let login = readLogin(path);
  return (nonce) => {
    try {
      login = readLogin(path);
    } catch (error) {
      // The file may be in the middle of a replacement. Use the last valid credentials; the server decides.
      if (!TroupeError.is(error)) throw error;
    }
    return login(nonce);
  };
}

function readLogin(path: string): Authenticator {
  const text = readSecret(path);
  const login = text.includes("-----BEGIN") ? credsAuthenticator(encode(text)) : nkeyAuthenticator(encode(text.trim()));
  try {
    login("tried");
    return login;
  } catch (error) {
    throw new TroupeError(
      "settings",
      `${path} contains no credentials for the bus. It needs a user's JWT and seed, as nsc writes them, or the seed of an nkey.`,
      { cause: error },
    );
  }
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const why = messageOf(error);
    throw new TroupeError("settings", `cannot read the credentials for the bus: ${why}.`, { cause: error });
  }
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
