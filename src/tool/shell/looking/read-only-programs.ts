/** How a program is used read-only: its harmless options, and the kind of its other arguments. */
export interface ReadOnly {
  /** Letters of options; `:` follows one that takes a value, `;` one with an attached value. */
  readonly short?: string;
  /** Full names of long options; `=` follows one that takes a value, also as the next word. */
  readonly long?: string;
  /**
   * `paths`: files to read. `text`: any words. `pattern`: the first is text unless an option gives it. `none`: no
   * operands.
   */
  readonly operands: "paths" | "text" | "pattern" | "none";
  /** Maximum number of operands, if a further one would be written to. */
  readonly most?: number;
}

const counts = "bytes= lines= quiet silent verbose zero-terminated help version";
const sums: ReadOnly = { short: "btzw", long: "binary text tag zero help version", operands: "paths" };
const nothing: ReadOnly = { operands: "none" };
const grep: ReadOnly = {
  short: "aA:bB:cC:e:EFGhHiIlLm:noPqrsTuUvVwxyzZ",
  long:
    "after-context= before-context= basic-regexp binary-files= byte-offset color colour context= count " +
    "exclude= exclude-dir= extended-regexp files-with-matches files-without-match fixed-strings " +
    "ignore-case include= initial-tab invert-match line-buffered line-number line-regexp max-count= no-filename " +
    "no-ignore-case no-messages null null-data only-matching perl-regexp quiet recursive regexp= silent text " +
    "unix-byte-offsets version with-filename word-regexp help",
  operands: "pattern",
};

/** Programs that show something and change nothing. Any other option or program needs approval. */
export const readOnlyPrograms: Readonly<Record<string, ReadOnly>> = {
  ls: {
    short: "1aAbBcCdDfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ",
    long:
      "all almost-all author block-size= classify color directory escape format= full-time group-directories-first " +
      "human-readable ignore= indicator-style= inode kibibytes literal no-group numeric-uid-gid quote-name recursive reverse " +
      "show-control-chars si size sort= time= time-style= tabsize= width= zero dereference file-type hide= help version",
    operands: "paths",
  },
  cat: {
    short: "AbeEnstTuv",
    long: "show-all number number-nonblank show-ends squeeze-blank show-tabs",
    operands: "paths",
  },
  head: { short: "c:n:qvz", long: counts, operands: "paths" },
  tail: { short: "c:n:qvzfFs:", long: `${counts} follow retry sleep-interval=`, operands: "paths" },
  wc: { short: "clmwL", long: "bytes chars lines words max-line-length help version", operands: "paths" },
  nl: { short: "b:d:f:h:i:l:n:ps:v:w:", operands: "paths" },
  tac: { short: "brs:", operands: "paths" },
  rev: { operands: "paths" },
  strings: { short: "an:t:e:", operands: "paths" },
  od: { short: "abcdfilosxvA:j:N:t:w;", operands: "paths" },
  hexdump: { short: "bcCdovxn:s:", operands: "paths" },
  xxd: { short: "bc:Eeg:il:ps:u", operands: "paths", most: 1 },
  base64: { short: "dw:i", long: "decode wrap= ignore-garbage", operands: "paths", most: 1 },
  less: { short: "NSRFXi", operands: "paths" },
  more: { operands: "paths" },
  tar: { short: "tvzjJf:", long: "list verbose gzip bzip2 xz file=", operands: "paths" },
  unzip: { short: "lvZqtz1", operands: "paths", most: 1 },
  gofmt: { short: "lds", operands: "paths" },
  lsof: { short: "i:nPtp:", operands: "none" },
  file: { short: "bhiLk0", long: "brief mime mime-type mime-encoding dereference no-dereference", operands: "paths" },
  stat: { short: "fLtc:", long: "format= printf= file-system dereference terse", operands: "paths" },
  du: {
    short: "0abcd:hkmsSxPt:",
    long: "all apparent-size bytes total human-readable max-depth= summarize separate-dirs one-file-system threshold= si time exclude=",
    operands: "paths",
  },
  df: {
    short: "aB:hHiklPTt:x:",
    long: "all human-readable inodes local portability print-type total type= si",
    operands: "paths",
  },
  tree: {
    short: "aCdDfFghiI:L:nNpP:qQrsStuUvx",
    long: "gitignore dirsfirst filesfirst prune noreport du si charset=",
    operands: "paths",
  },
  basename: { short: "as:z", long: "multiple suffix= zero", operands: "text" },
  dirname: { short: "z", long: "zero", operands: "text" },
  realpath: {
    short: "eLmPqsz",
    long: "canonicalize-existing canonicalize-missing relative-to= relative-base= strip no-symlinks",
    operands: "text",
  },
  readlink: {
    short: "efmnqsvz",
    long: "canonicalize canonicalize-existing canonicalize-missing no-newline",
    operands: "text",
  },
  md5sum: sums,
  sha1sum: sums,
  sha256sum: sums,
  sha512sum: sums,
  b2sum: sums,
  cksum: { operands: "paths" },
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    short: "0.A:aB:bcC:d:e:E:FHhIilm:M:NnoPpqr:SsT:t:UuvVwxg:j:",
    long:
      "after-context= before-context= binary block-buffered byte-offset case-sensitive color= colors= column context= " +
      "context-separator= count count-matches crlf debug encoding= engine= files files-with-matches files-without-match " +
      "fixed-strings glob= glob-case-insensitive heading hidden iglob= ignore-case include-zero invert-match json " +
      "line-buffered line-number line-regexp max-columns= max-columns-preview max-count= max-depth= max-filesize= mmap multiline " +
      "multiline-dotall no-binary no-column no-config no-heading no-hidden no-ignore no-ignore-dot no-ignore-exclude " +
      "no-ignore-global no-ignore-parent no-ignore-vcs no-line-number no-messages no-filename no-multiline null null-data " +
      "one-file-system only-matching passthru path-separator= pcre2 pretty quiet regexp= replace= smart-case sort= sortr= stats " +
      "text threads= trim type= type-add= type-list type-not= unrestricted version vimgrep with-filename word-regexp help",
    operands: "pattern",
  },
  fd: {
    short: "HIuasiplgFd:t:e:E:S:0",
    long:
      "hidden no-ignore unrestricted absolute-path case-sensitive ignore-case full-path list-details glob fixed-strings " +
      "max-depth= min-depth= exact-depth= type= extension= exclude= size= changed-within= changed-before= print0 color=",
    operands: "pattern",
  },
  sort: {
    short: "bcCdfghik:mMnrRsS:t:uVz",
    long:
      "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort " +
      "human-numeric-sort numeric-sort random-sort reverse sort= version-sort check key= merge stable field-separator= unique " +
      "zero-terminated parallel=",
    operands: "paths",
  },
  uniq: {
    short: "cdDf:is:uw:z",
    long: "count repeated all-repeated skip-fields= group ignore-case skip-chars= unique check-chars= zero-terminated",
    operands: "paths",
    most: 1,
  },
  cut: {
    short: "b:c:d:f:nsz",
    long: "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated",
    operands: "paths",
  },
  tr: { short: "cCdst", long: "complement delete squeeze-repeats truncate-set1", operands: "text" },
  paste: { short: "d:sz", long: "delimiters= serial zero-terminated", operands: "paths" },
  comm: { short: "123z", long: "check-order nocheck-order output-delimiter= total", operands: "paths" },
  diff: {
    short: "abBcC:dEeiI:nNpqrstTuU:wyW:x:Z",
    long:
      "brief unified context recursive side-by-side suppress-common-lines width= ignore-case ignore-all-space ignore-space-change " +
      "ignore-blank-lines ignore-trailing-space ignore-matching-lines= text new-file exclude= report-identical-files color minimal " +
      "strip-trailing-cr label= normal ed rcs show-c-function",
    operands: "paths",
  },
  cmp: { short: "bi:ln:s", long: "print-bytes ignore-initial= verbose bytes= quiet silent", operands: "paths" },
  column: { short: "c:ets:xo:nN:R:", long: "table separator= output-separator= columns=", operands: "paths" },
  fold: { short: "bsw:", long: "bytes spaces width=", operands: "paths" },
  expand: { short: "it:", operands: "paths" },
  join: { short: "a:e:i1:2:j:o:t:v:", operands: "paths" },
  jq: {
    short: "rcsSnejMCaR",
    long: "raw-output compact-output slurp sort-keys null-input exit-status join-output monochrome-output color-output ascii-output raw-input tab",
    operands: "pattern",
  },
  pwd: { short: "LP", operands: "none" },
  whoami: nothing,
  id: { short: "gGnruz", operands: "none" },
  groups: nothing,
  date: { short: "uRI;d:r:", long: "utc universal rfc-email iso-8601 rfc-3339= date=", operands: "text" },
  cal: { short: "13jmyw", operands: "text" },
  uname: { short: "asnrvmpio", long: "all", operands: "none" },
  arch: nothing,
  hostname: { short: "fsiI", operands: "none" },
  nproc: { long: "all", operands: "none" },
  uptime: { short: "ps", operands: "none" },
  free: { short: "bkmghltw", operands: "none" },
  lscpu: nothing,
  tty: nothing,
  ps: { short: "AadefFlLmMNwo:p:u:U:C:t:", long: "forest sort= no-headers", operands: "text" },
  npm: { short: "agl", long: "all depth= json long global parseable prod omit=", operands: "text" },
  pip: { long: "format= local user", operands: "text" },
  pip3: { long: "format= local user", operands: "text" },
  which: { short: "a", operands: "text" },
  type: { short: "afptP", operands: "text" },
  sleep: { operands: "text" },
  seq: { short: "f:s:w", long: "equal-width separator= format=", operands: "text" },
};

/** Programs that print their version, and read nothing of the working directory for it, with the words for that. */
const versions: readonly (readonly [programs: string, words: readonly string[]])[] = [
  [
    "perl php gcc g++ clang cc cmake make bash bun rg fd jq curl wget tsc psql sqlite3 uv python python3 pip pip3",
    ["--version"],
  ],
  ["python python3 pip pip3 curl wget rg fd jq psql", ["-V"]],
  ["java javac", ["--version", "-version"]],
  ["node npm", ["--version", "-v"]],
  ["git docker gh deno", ["--version", "version"]],
  ["go", ["version"]],
];

/** Returns the words that make a program print its version and nothing else. */
export const versionWords = (program: string): readonly string[] =>
  versions.flatMap(([programs, words]) => (programs.split(" ").includes(program) ? words : []));
