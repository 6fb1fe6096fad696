/** Shown without a valid cookie, for example after a restart with a new token. */
export const unauthorizedPage = page(
  "Not authorized",
  "<p>Open the URL that <code>troupe web</code> printed in the terminal, with its token.</p>",
);

export const entryPage = page(
  "Troupe",
  '<p><a href="/">The dashboard</a></p>',
  '<meta http-equiv="refresh" content="0; url=/">',
);

function page(title: string, body: string, head = ""): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">${head}<title>${title}</title></head>
<body><main><h1>${title}</h1>${body}</main></body>
</html>
`;
}
