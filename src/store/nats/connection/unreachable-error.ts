import { connect } from "node:net";
import { errors } from "@nats-io/transport-node";
import * as z from "zod";
import { hasErrorCode } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import type { BusAddress } from "./bus.ts";

/** What went wrong with the first connection, in words that say what to do about it. */
export async function unreachableError(
  error: unknown,
  { address, where, hosts }: { readonly address: BusAddress; readonly where: string; readonly hosts: readonly URL[] },
): Promise<TroupeError> {
  if (TroupeError.is(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const toError = (message: string) => new TroupeError("storage", message, { cause: error });
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError)
    return toError(
      `The bus at ${where} lets nobody in ${credentialsText(address, hosts)} (${reason}). ${credentialsHint}`,
    );
  const code = certificateErrors.find((each) => hasErrorCode(error, each));
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return toError(`The certificate of the bus at ${where} is for another name: ${reason}.`);
  if (code !== undefined)
    return toError(`The bus at ${where} is not trusted: ${reason}. ${authorityHint(address, code)}`);
  if (reason.includes("does not support 'tls'"))
    return toError(`The bus at ${where} does not encrypt, and tls is asked for. Nothing was sent to it.`);
  if (await asksForCertificate(error, hosts))
    return toError(
      `The bus at ${where} has hung up: it asks for a certificate of the client. ${clientCertificateHint(address)}`,
    );
  return toError(`Cannot reach the bus at ${where}: ${reason}. Is a nats-server with JetStream running there?`);
}

function credentialsText({ credentialsFile, tls }: BusAddress, hosts: readonly URL[]): string {
  if (credentialsFile !== undefined) return `with the credentials in ${credentialsFile}`;
  if (hosts.some(({ username }) => username !== "")) return "with the name and password, or token, of its address";
  return tls?.certFile === undefined ? "without credentials" : `with the certificate ${tls.certFile} alone`;
}

const credentialsHint =
  "Credentials are in bus.credentialsFile of the settings, or stand before the host: nats://user:password@host:4222.";

const certificateErrors = [
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_SIGNATURE_FAILURE",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
];

function authorityHint({ tls }: BusAddress, code: string): string {
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "It needs a new certificate, or a clock is wrong.";
  return tls?.caFile === undefined
    ? "If its authority is none of the system's, name its file in bus.tls.caFile of the settings."
    : `Its certificate is not signed by anybody in ${tls.caFile}.`;
}

/** A server that wants a certificate says so before it encrypts, and hangs up afterwards without a word. */
async function asksForCertificate(error: unknown, hosts: readonly URL[]): Promise<boolean> {
  const isSilence = error instanceof errors.TimeoutError || error instanceof errors.ConnectionError;
  const [host] = hosts;
  if (host === undefined || !(isSilence || hasErrorCode(error, "ECONNRESET") || isAlert(error))) return false;
  const greeting = await firstLine(host);
  const info = greeting.startsWith("INFO ") ? Info.safeParse(parse(greeting.slice(5))) : undefined;
  return info?.success === true && info.data.tls_verify === true;
}

const isAlert = (error: unknown) => error instanceof Error && /\balert\b|certificate required/.test(error.message);

const Info = z.object({ tls_verify: z.boolean().optional() });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not a server of this kind: nothing is known of it then.
    return undefined;
  }
}

function firstLine({ hostname, port }: URL): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
    const end = () => {
      socket.destroy();
      resolve(text.split("\r\n")[0] ?? "");
    };
    socket.setTimeout(greetingMs, end);
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("utf8");
      if (text.includes("\r\n")) end();
    });
    socket.on("error", end);
    socket.on("close", end);
  });
}

const clientCertificateHint = ({ tls }: BusAddress): string =>
  tls?.certFile === undefined
    ? "Name it and its key in bus.tls.certFile and bus.tls.keyFile of the settings."
    : `It does not accept ${tls.certFile}.`;

const greetingMs = 2000;
