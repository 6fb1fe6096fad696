import { connect } from "node:net";
import { errors } from "@nats-io/transport-node";
import * as z from "zod";
import { hasErrorCode } from "../../../platform/index.ts";
import { messageOf, TroupeError } from "../../../protocol/index.ts";
import type { BusAddress } from "./bus.ts";

/** Explains why the first connection failed and what to do. */
export async function unreachableError(
  error: unknown,
  { address, where, hosts }: { readonly address: BusAddress; readonly where: string; readonly hosts: readonly URL[] },
): Promise<TroupeError> {
  if (TroupeError.is(error)) return error;
  const reason = messageOf(error);
  const toError = (message: string) => new TroupeError("storage", message, { cause: error });
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError)
    return toError(
      `The bus at ${where} refuses the connection ${credentialsText(address, hosts)} (${reason}). ${credentialsHint}`,
    );
  const code = certificateErrors.find((each) => hasErrorCode(error, each));
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return toError(`The certificate of the bus at ${where} is for another name: ${reason}.`);
  if (code !== undefined)
    return toError(`The bus at ${where} is not trusted: ${reason}. ${authorityHint(address, code)}`);
  if (reason.includes("does not support 'tls'"))
    return toError(
      `The bus at ${where} does not support TLS, but its address or the settings require it. Nothing was sent.`,
    );
  if (await asksForCertificate(error, hosts))
    return toError(
      `The bus at ${where} closed the connection: it requires a client certificate. ${clientCertificateHint(address)}`,
    );
  return toError(`Cannot reach the bus at ${where}: ${reason}. Is a nats-server with JetStream running there?`);
}

function credentialsText({ credentialsFile, tls }: BusAddress, hosts: readonly URL[]): string {
  if (credentialsFile !== undefined) return `with the credentials in ${credentialsFile}`;
  if (hosts.some(({ username }) => username !== "")) return "with the name and password, or token, in its address";
  return tls?.certFile === undefined ? "without credentials" : `with only the certificate ${tls.certFile}`;
}

const credentialsHint =
  "Set bus.credentialsFile in the settings, or put the credentials before the host: nats://user:password@host:4222.";

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
    return "Renew its certificate, or correct the clock.";
  return tls?.caFile === undefined
    ? "If the system does not know its certificate authority, set bus.tls.caFile in the settings."
    : `No authority in ${tls.caFile} signed its certificate.`;
}

/**
 * A server that requires a certificate says so before the TLS handshake, and later closes the connection without a
 * message.
 */
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
    // Not a NATS server, so nothing is known about it.
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
    ? "Set bus.tls.certFile and bus.tls.keyFile in the settings."
    : `It does not accept ${tls.certFile}.`;

const greetingMs = 2000;
