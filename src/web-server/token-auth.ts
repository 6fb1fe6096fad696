import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Who may come in: whoever has opened the address with the token in it once, by the cookie that was given for it. */
export interface TokenAuth {
  isToken(given: string): boolean;
  /** Whether the request's `Cookie` has the right one in it; others of that name do no harm. */
  isAuthenticated(cookies: string | undefined): boolean;
  /** `Set-Cookie` for who came with the token. */
  readonly cookie: string;
}

/** 256 bits, in characters that need no escape in an address or a cookie. */
export const createToken = (): string => randomBytes(32).toString("base64url");

export const isTokenShaped = (text: string): boolean => /^[\w-]{43}$/.test(text);

export function createTokenAuth({ token, port }: { readonly token: string; readonly port: number }): TokenAuth {
  // A browser has one jar of cookies for all ports of a host: the name tells servers of one machine apart.
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

/** Of one length whatever was given, so that comparing takes the same time. */
const digest = (text: string) => createHash("sha256").update(text).digest();
