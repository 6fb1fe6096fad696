interface FetchJsonOptions {
  readonly signal?: AbortSignal;
  /** The body to post; without it, the request is a GET. */
  readonly body?: unknown;
}

/** Fetches JSON from the server. Rejects with the server's error message. */
export async function fetchJson(address: string, { signal, body }: FetchJsonOptions = {}): Promise<unknown> {
  const posted = body !== undefined && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(address, { ...posted, ...(signal && { signal }) });
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  const message = typeof answer === "object" && answer !== null && "message" in answer ? answer.message : undefined;
  throw new Error(typeof message === "string" ? message : `the server answered with ${response.status}`);
}
