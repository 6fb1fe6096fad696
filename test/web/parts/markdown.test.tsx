import * as fc from "fast-check";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { Markdown } from "../../../web/src/parts/markdown.tsx";

const drawn = (text: string) => renderToStaticMarkup(<Markdown text={text} />);
/** The text that a user reads. */
const read = (text: string) => drawn(text).replace(/<[^>]*>/g, "");

describe("Markdown", () => {
  test("is rendered", () => {
    const page = drawn(
      "# One\n\n**bold** *slanted* ~~gone~~ `code`\n\n1. a\n2. b\n\n- [x] done\n\n> said\n\n| a | b |\n| -: | - |\n| 1 | 2 |",
    );
    for (const piece of [
      '<p class="md-heading" data-depth="1">One</p>',
      "<strong>bold</strong>",
      "<em>slanted</em>",
      "<del>gone</del>",
      "<code>code</code>",
      '<ol start="1">',
      "<blockquote>",
      '<td data-align="right">1</td>',
      'aria-label="done"',
    ])
      expect(page).toContain(piece);
  });

  test("code is highlighted, and joined again it is the code", () => {
    const code = 'const a = "x"; // why\nreturn 12 + `${a}`;';
    const page = drawn(`\`\`\`ts\n${code}\n\`\`\``);
    expect(page).toContain('<span class="code-keyword">const</span>');
    expect(page).toContain('<span class="code-comment">// why</span>');
    expect(page.replace(/<figcaption>.*?<\/figcaption>|<[^>]*>/g, "").replaceAll("&quot;", '"')).toBe(code);
  });

  test("links show their target, and lead to the web only", () => {
    expect(drawn("[here](https://example.com/a?b=c)")).toContain(
      '<a href="https://example.com/a?b=c" target="_blank" rel="noreferrer noopener">here (https://example.com/a?b=c)</a>',
    );
    expect(drawn("<https://example.com/>")).toContain(">https://example.com/</a>");
    expect(drawn("[https://bank.example](https://evil.example)")).toContain("(https://evil.example)");
    for (const href of [
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "//evil",
      "/api/command",
      "JaVaScRiPt:1",
    ]) {
      expect(drawn(`[x](${href})`)).not.toContain("<a");
      expect(read(`[x](${href})`)).toContain(href);
    }
    expect(drawn("[x](https://a.example/\u202Egpj.exe)")).not.toContain("<a");
  });

  test("images are not loaded", () => {
    expect(drawn("![alt](https://example.com/pixel.png)")).not.toContain("<img");
    expect(read("![alt](https://example.com/pixel.png)")).toContain("https://example.com/pixel.png");
  });

  test("hidden characters are shown, also as character references", () => {
    expect(read("a\u202Eb")).toBe("a[U+202E]b");
    expect(read("a&#x202E;b &lt;b&gt;")).toBe("a[U+202E]b &lt;b&gt;");
  });
});

/** The elements and attributes that this program makes. No others may appear. */
const elements =
  /^(?:div|p|ul|ol|li|pre|code|strong|em|del|br|hr|blockquote|table|thead|tbody|tr|th|td|a|span|figure|figcaption)$/;
const attributes = /^(?:class|data-depth|data-align|start|href|target|rel|role|aria-label|tabindex)$/;

function foreign(markup: string): string[] {
  return [...markup.matchAll(/<(\/?)([a-z0-9-]+)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>|(<)/gi)].flatMap((match) => {
    const [whole, , name = "", rest = "", stray] = match;
    if (stray !== undefined || !elements.test(name)) return [whole];
    const found = [...rest.matchAll(/([a-z-]+)(?:="([^"]*)")?/gi)].filter(
      ([, key = "", value = ""]) => !attributes.test(key) || (key === "href" && !/^https?:\/\//i.test(value)),
    );
    return found.map(([attribute]) => `${whole}: ${attribute}`);
  });
}

const payloads = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '"><svg onload=alert(1)>',
  "<svg><script>alert(1)</script></svg>",
  "<iframe src=javascript:alert(1)>",
  "<a href='javascript:alert(1)'>x</a>",
  "[x](javascript:alert(1))",
  "[x](  javascript:alert(1)  )",
  "[x](java\nscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](&#x6A;avascript&colon;alert(1))",
  "![x](javascript:alert(1))",
  '![x](x"onerror="alert(1))',
  '[x](https://a.example" onclick="alert(1))',
  '[x](https://a.example "title\\" onclick=\\"alert(1)")',
  "<javascript:alert(1)>",
  "<style>*{display:none}</style>",
  "<math><mi//xlink:href='data:x,<script>alert(4)</script>'>",
  "```<script>\nalert(1)\n```",
  '```js"><script>alert(1)</script>\nx\n```',
  "`<img src=x onerror=alert(1)>`",
  "| <img onerror=alert(1) src=x> |\n| - |\n| <script>alert(1)</script> |",
  "[ref]: javascript:alert(1)\n\n[ref]",
  "<!-- --><script>alert(1)</script>",
  "<![CDATA[<script>alert(1)</script>]]>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "\u0000<script>\u0000alert(1)</script>",
  "# <img src=x onerror=alert(1)>",
  "> <form action=//evil><input name=x></form>",
  "- <object data=javascript:alert(1)>",
  "<base href=//evil>",
  "<meta http-equiv=refresh content='0;url=//evil'>",
  "{{constructor.constructor('alert(1)')()}}",
];

describe("agent text is never markup", () => {
  test.each(payloads)("%j", (payload) => {
    expect(foreign(drawn(payload))).toEqual([]);
    expect(foreign(drawn(`**${payload}** ${payload}`))).toEqual([]);
  });

  test("any combination of such pieces", () => {
    const piece = fc.oneof(
      fc.constantFrom(...payloads),
      fc.constantFrom(
        "[",
        "](",
        ")",
        "<",
        ">",
        "`",
        "```\n",
        "\n\n",
        "| ",
        "&#",
        ";",
        "*",
        "_",
        "![",
        "\\",
        '"',
        "https://",
      ),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(foreign(drawn(pieces.join("")))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
