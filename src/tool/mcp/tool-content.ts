import { writeFile } from "node:fs/promises";
import type { CallToolResult, ContentBlock, ReadResourceResult } from "@modelcontextprotocol/client";
import type { ContentPart } from "../../protocol/index.ts";
import type { ToolContext, ToolResult } from "../define-tool.ts";

type Saving = Pick<ToolContext, "outputFile">;
type ResourceContents = ReadResourceResult["contents"][number];

/**
 * Converts the answer of a server for the model. Content other than text and images is saved to a file, and the model
 * gets its path.
 */
export async function toolContent(result: CallToolResult, context: Saving): Promise<ToolResult> {
  const content: ContentPart[] = [];
  for (const [index, block] of result.content.entries()) content.push(await blockPart(block, { index, context }));
  // Servers usually repeat the structured content as text. If not, it is the only content.
  if (result.structuredContent !== undefined && !content.some(({ type }) => type === "text")) {
    content.unshift(text(JSON.stringify(result.structuredContent, null, 2)));
  }
  if (content.length === 0) content.push(text("(the tool returned nothing)"));
  return { outcome: result.isError === true ? "failed" : "ok", content };
}

export async function resourceContent({ contents }: ReadResourceResult, context: Saving): Promise<ContentPart[]> {
  const parts: ContentPart[] = [];
  for (const [index, resource] of contents.entries()) parts.push(await resourcePart(resource, { index, context }));
  return parts.length > 0 ? parts : [text("(the resource is empty)")];
}

interface PartPosition {
  readonly index: number;
  readonly context: Saving;
}

async function blockPart(block: ContentBlock, position: PartPosition): Promise<ContentPart> {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return dataPart({ ...block, what: "image" }, position);
    case "audio":
      return dataPart({ ...block, what: "audio" }, position);
    case "resource":
      return resourcePart(block.resource, position);
    case "resource_link": {
      const about = [block.description, block.mimeType, block.size === undefined ? "" : `${block.size} bytes`];
      const known = about.filter(Boolean).join(", ");
      return text(`[resource ${block.uri}: ${block.name}${known && ` (${known})`}; ReadMcpResource reads it]`);
    }
  }
}

async function resourcePart(resource: ResourceContents, position: PartPosition): Promise<ContentPart> {
  if ("text" in resource) return text(`[resource ${resource.uri}]\n${resource.text}`);
  const mimeType = resource.mimeType ?? "application/octet-stream";
  return dataPart({ mimeType, data: resource.blob, what: `resource ${resource.uri}` }, position);
}

async function dataPart(
  { mimeType, data, what }: { mimeType: string; data: string; what: string },
  { index, context }: PartPosition,
): Promise<ContentPart> {
  if (data.length <= pictureLimit && pictures.has(mimeType)) return { type: "image", mediaType: mimeType, data };
  if (data.length <= pictureLimit && mimeType === "application/pdf") {
    return { type: "document", mediaType: mimeType, name: what, data };
  }
  const bytes = Buffer.from(data, "base64");
  const extension = /^\w+\/(\w{1,8})$/.exec(mimeType)?.[1] ?? "bin";
  const path = await context.outputFile(`${index + 1}.${extension}`);
  await writeFile(path, bytes, { flag: "wx", mode: 0o600 });
  return text(`[${what}, ${mimeType}, ${bytes.length} bytes: saved to ${path}]`);
}

const text = (words: string): ContentPart => ({ type: "text", text: words });

const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** In characters of base64: the providers' limit for one image. */
const pictureLimit = 5_000_000;
