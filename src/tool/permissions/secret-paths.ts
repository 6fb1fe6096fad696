/**
 * True if the file name suggests that it holds secrets. Reading such a file needs approval even in a working folder.
 */
export function isSecretPath(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (/^\.env(\..+)?$/.test(name)) return !/\.(example|sample|template|dist|defaults?|schema|d\.ts)$/.test(name);
  return (
    /^(id_(rsa|dsa|ecdsa|ed25519)|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.htpasswd|\.git-credentials)$/.test(name) ||
    /\.(pem|key|p12|pfx|jks|keystore|kdbx)$/.test(name) ||
    /^(credentials|secrets?)(\.(json|ya?ml|toml|ini|txt))?$/.test(name)
  );
}
