/**
 * The patterns are tried only where one of these beginnings occurs. Several small searches are faster than a large one:
 * each can skip more text.
 */
export const secretPrefixes: readonly string[] = [
  "-----BEGIN",
  "://",
  "sk[-_]|rk_|gh[pousr]_|github_pat_|gl[a-z]{2,5}-",
  "A(?:KIA|SIA|BIA|CCA)|AIza|GOCSPX-|ya29\\.|AGE-SECRET-KEY-1",
  "xox[abceoprs]-|xapp-|xai-|hooks\\.slack\\.com",
  "eyJ",
  "npm_|ntn_|hf_|gsk_",
  "pypi-|pplx-",
  "hv[sb]\\.|SG\\.",
  "r8_",
  "dapi|do[opr]_v1_|shp[a-z]{2}_",
  "whsec_|lin_api_|dckr_pat_|sntrys_|AccountKey=",
  "[Aa]uthorization|AUTHORIZATION",
  "(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY)=|aws_secret_access_key|aws_session_token",
];

export interface SecretShape {
  readonly first: string;
  readonly kind: string;
  /**
   * Sticky: `lastIndex` is set before each use. If there is a group, the first one is the secret; otherwise the whole
   * match.
   */
  readonly shape: RegExp;
  readonly plausible?: (secret: string, match: RegExpExecArray) => boolean;
}

/** Not inside a word, except right after an escaped `\\n` of JSON or a percent escape of an address. */
const escaped = "(?<=\\\\[nrt])|(?<=%[0-9A-Fa-f]{2})";
const word = `(?:(?<![A-Za-z0-9_-])|${escaped})`;
/** Also not inside Base64. */
const standalone = `(?:(?<![A-Za-z0-9_+/-])|${escaped})`;
const shape = (
  first: string,
  kind: string,
  ...[source, plausible]: [string, SecretShape["plausible"]?]
): SecretShape => ({
  first,
  kind,
  shape: new RegExp(source, "dy"),
  ...(plausible && { plausible }),
});

const hasDigit = (text: string) => /\d/.test(text);
const isMixed = (text: string) => /\d/.test(text) && /[A-Za-z]/.test(text);

const all: readonly SecretShape[] = [
  shape("s", "anthropic key", `${word}sk-ant-[A-Za-z0-9_-]{16,}`),
  shape("s", "api key", `${word}sk-(?:proj|svcacct|admin|or-v1|lf|None)-[A-Za-z0-9_-]{16,}`),
  shape("s", "api key", `${word}sk-[A-Za-z0-9]{20,}(?![A-Za-z0-9])`, hasDigit),
  shape("sr", "stripe key", `${word}(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}`),
  shape("g", "github token", `${word}(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})`),
  shape("g", "gitlab token", `${word}gl(?:pat|ptt|rt|dt|ft|soat|cbt|oas|agent)-[A-Za-z0-9_.-]{18,}`, isMixed),
  shape("A", "aws key", `${standalone}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9+/])`),
  shape(
    "a",
    "aws secret",
    `aws_(?:secret_access_key|session_token)["']?\\s{0,4}[=:]\\s{0,4}["']?([A-Za-z0-9/+=]{30,})`,
  ),
  shape("AGy", "google key", `${word}(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{24,}|ya29\\.[A-Za-z0-9_-]{20,})`),
  shape("x", "slack token", `${word}(?:xox[abceoprs]-[A-Za-z0-9-]{10,}|xapp-\\d-[A-Za-z0-9-]{10,})`, hasDigit),
  shape("h", "slack address", `hooks\\.slack\\.com/services/([A-Z0-9]+/[A-Z0-9]+/[A-Za-z0-9]{16,})`),
  shape("e", "jwt", `${word}eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}`),
  shape("n", "npm token", `${word}npm_[A-Za-z0-9]{36,}`),
  shape("p", "pypi token", `${word}pypi-[A-Za-z0-9_-]{50,}`),
  shape("S", "sendgrid key", `${word}SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}`),
  shape("w", "webhook secret", `${word}whsec_[A-Za-z0-9+/=]{24,}`),
  shape(
    "hgxp",
    "api key",
    `${word}(?:hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|pplx-[A-Za-z0-9]{40,})`,
  ),
  shape(
    "rdln",
    "api key",
    `${word}(?:r8_[A-Za-z0-9]{36,}|dapi[0-9a-f]{32}|lin_api_[A-Za-z0-9]{32,}|ntn_[A-Za-z0-9]{40,})`,
  ),
  shape(
    "ds",
    "api key",
    `${word}(?:do[opr]_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9a-f]{32}|dckr_pat_[A-Za-z0-9_-]{20,})`,
  ),
  shape("h", "vault token", `${word}hv[sb]\\.[A-Za-z0-9_-]{24,}`, isMixed),
  shape("A", "age key", `AGE-SECRET-KEY-1[A-Z0-9]{50,}`),
  shape("s", "api key", `${word}sntrys_[A-Za-z0-9_+/=-]{40,}`),
  shape("A", "storage key", `AccountKey=([A-Za-z0-9+/]{40,}={0,2})`),
  shape(":", "password", `://[^\\s/?#@:"'\`<>\\\\]{0,200}:([^\\s/?#@"'\`<>\\\\]{1,500})@[A-Za-z0-9[]`, isPassword),
  shape(
    "aA",
    "authorization",
    `(?:[Aa]uthorization|AUTHORIZATION)["']?\\s{0,4}[=:]\\s{0,4}["'\`]?(?:[Bb]earer|[Bb]asic|[Tt]oken)\\s{1,4}([A-Za-z0-9._~+/=-]{16,})`,
  ),
  shape(
    "STPA",
    "secret",
    `(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY)=["']?([A-Za-z0-9_.~+/=@!%^*-]{16,})(?![A-Za-z0-9_(])`,
    isSecretValue,
  ),
];

/** Excludes `user:user@` and obvious placeholders. */
function isPassword(password: string, match: RegExpExecArray): boolean {
  const user = match[0].slice(3).split(":", 1)[0];
  return password !== user && !/^(?:[$%{*]|x+$|\.+$|password$|pass$|\[redacted)/i.test(password);
}

/**
 * Accepts the value of a line such as `API_TOKEN=…` if it has letters and digits and is not a path, name or sentence.
 */
function isSecretValue(value: string): boolean {
  return isMixed(value) && !/^(?:[./~]|process\.|os\.|https?:)/.test(value);
}

/** Grouped by their first character, so that few patterns are tried at each position. */
export const secretShapes: ReadonlyMap<string, readonly SecretShape[]> = new Map(
  [...new Set(all.flatMap(({ first }) => first.split("")))].map((character) => [
    character,
    all.filter(({ first }) => first.includes(character)),
  ]),
);
