/** The target of a request, for error messages. */
export interface Endpoint {
  readonly provider: "anthropic" | "openai" | "local";
  readonly baseUrl: string;
  /** The model id that the provider uses. */
  readonly model: string;
  /** Never shown, not even where a server repeats it. */
  readonly secret?: string | undefined;
}

export const hostOf = (endpoint: Endpoint): string =>
  URL.canParse(endpoint.baseUrl) ? new URL(endpoint.baseUrl).host : endpoint.baseUrl;

export const keyVariables = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  local: "TROUPE_LOCAL_API_KEY",
} as const;
