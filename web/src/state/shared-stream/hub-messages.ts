/** The messages of a page to the hub. */
export type ToHub =
  | {
      readonly kind: "follow";
      readonly session: string | undefined;
      readonly after: unknown;
      readonly summaries: boolean;
    }
  /** The page has handled a message of this many characters. */
  | { readonly kind: "read"; readonly length: number }
  /** The page holds this lock as long as it lives. */
  | { readonly kind: "locked"; readonly lock: string }
  | { readonly kind: "close" };

/** The messages of the hub to a page. After `broken` nothing follows. */
export type FromHub =
  | { readonly kind: "open" }
  | { readonly kind: "message"; readonly type: string; readonly data: string }
  | { readonly kind: "broken" };
