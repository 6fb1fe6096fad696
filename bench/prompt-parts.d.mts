export interface SizedRequest {
  readonly system: readonly string[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: unknown }[];
}

/** The size of one part of a request, in tokens of four characters. */
export interface PromptPart {
  readonly part: string;
  readonly tokens: number;
}

export declare const limits: { readonly lead: number; readonly teammate: number };
export declare function promptParts(request: SizedRequest, more?: Readonly<Record<string, string>>): PromptPart[];
export declare function totalTokens(parts: readonly PromptPart[]): number;
