import type { Asset, Assets, Encoding } from "./load-assets.ts";
import { type ApiContext, errorResponse } from "./error-response.ts";

/** Answers with a file of the dashboard. Only known assets are served. */
export async function serveAsset(c: ApiContext, assets: Assets): Promise<Response> {
  const asset = assets.get(c.req.path);
  if (asset === undefined) return errorResponse(c, 404, { code: "not_found", message: "not found" });
  c.header("etag", asset.etag);
  c.header("vary", "accept-encoding");
  c.header("cache-control", asset.isImmutable ? "private, max-age=31536000, immutable" : "private, no-cache");
  if (
    c.req
      .header("if-none-match")
      ?.split(/\s*,\s*/)
      .includes(asset.etag)
  )
    return c.body(null, 304);
  const encoding = chooseEncoding(asset, c.req.header("accept-encoding") ?? "");
  if (encoding !== "identity") c.header("content-encoding", encoding);
  c.header("content-type", asset.type);
  return c.body(await asset.body(encoding));
}

function chooseEncoding({ encodings }: Asset, accepted: string): Encoding {
  const names = accepted.split(",").flatMap((entry) => {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [name];
  });
  return encodings.find((encoding) => names.includes(encoding)) ?? "identity";
}
