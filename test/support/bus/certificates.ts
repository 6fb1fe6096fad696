import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../files/temporary-folder.ts";

/**
 * The files of a certificate authority and of the certificates it signs, created by openssl and removed with the test.
 */
export interface Authority {
  readonly caFile: string;
  /** A certificate for loopback. */
  sign(name: string): { readonly certFile: string; readonly keyFile: string };
}

export function makeAuthority(name: string): Authority {
  const folder = temporaryFolder();
  const at = (file: string) => join(folder, file);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const key = (of: string) => [...newKey, "-keyout", at(`${of}.key`), "-subj", `/CN=${of}`];
  openssl("req", "-x509", ...key(name), "-days", "2", "-out", at(`${name}.pem`));
  writeFileSync(at("uses"), "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n");
  return {
    caFile: at(`${name}.pem`),
    sign: (of) => {
      openssl("req", ...key(of), "-out", at(`${of}.csr`));
      const by = ["-CA", at(`${name}.pem`), "-CAkey", at(`${name}.key`), "-CAcreateserial"];
      openssl(
        "x509",
        "-req",
        "-in",
        at(`${of}.csr`),
        ...by,
        "-days",
        "2",
        "-extfile",
        at("uses"),
        "-out",
        at(`${of}.pem`),
      );
      return { certFile: at(`${of}.pem`), keyFile: at(`${of}.key`) };
    },
  };
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
