import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Authenticates browsers. A browser that opened the URL with the token once is recognized by its cookie. */
export interface TokenAuth {
  isToken(given: string): boolean;
  /** True if the `Cookie` header contains the right cookie. Other cookies of the same name are ignored. */
  isAuthenticated(cookies: string | undefined): boolean;
  /** The `Set-Cookie` value for a request with the token. */
  readonly cookie: string;
}

/** 256 bits, in characters that need no escape in a URL or a cookie. */
export const createToken = (): string => randomBytes(32).toString("base64url");

export const isTokenShaped = (text: string): boolean => /^[\w-]{43}$/.test(text);

export function createTokenAuth({ token, port }: { readonly token: string; readonly port: number }): TokenAuth {
  // Browsers share cookies between all ports of a host, so the name contains the port.
  const name = `troupe_${port}`;
  const expected = digest(token);
  const isToken = (given: string) => timingSafeEqual(digest(given), expected);
  return {
    isToken,
    isAuthenticated: (cookies = "") =>
      cookies
        .split(";")
        .map((pair) => pair.trim())
        .some((pair) => pair.startsWith(`${name}=`) && isToken(pair.slice(name.length + 1))),
    cookie: `${name}=${token}; HttpOnly; SameSite=Strict; Path=/`,
  };
}

/** Equal length for any input, so that the comparison takes constant time. */
const digest = (text: string) => createHash("sha256").update(text).digest();
