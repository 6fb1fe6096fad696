import { afterAll, describe, expect, it } from "vitest";
import { lines, neverAllowedIn } from "../../support/shell/attack-lines.ts";
import { hostileFolder } from "../../support/shell/hostile-folder.ts";

const folder = hostileFolder();
afterAll(() => folder.remove());
const neverAllowed = neverAllowedIn(folder);

describe("the word version is a file or a target for most programs", () => {
  neverAllowed(`
    bash version
    node version
    python3 version
    perl version
    make version
    php version
    bun version
    java version
    cmake version
    tsc version
    psql version
    curl version
    wget version
    perl -V
    bash -version
  `);
  it.each(
    lines(`
    git version
    node --version
    npm -v
    docker version
    gh version
    deno --version
    python3 -V
    java -version
    go version
  `),
  )("prints a version: %s", (line) => expect(folder.verdict(line)).toBe("allow"));
});

describe("an expansion that the parser might miss", () => {
  neverAllowed(`
    echo \${HOME/$(/bin/touch MARK)/x}
    echo "\${HOME//$(/bin/touch MARK)/x}"
    echo \${HOME/#\`/bin/touch MARK\`/x}
    echo \${HOME/%<(/bin/touch MARK)/x}
    echo \${HOME/\${x:-$(/bin/touch MARK)}/x}
    echo \${HOME/$[a[$(/bin/touch MARK)]]/x}
    cat <<< \${HOME/$(/bin/touch MARK)/x}
    cat <<E⏎\${HOME/$(/bin/touch MARK)/x}⏎E
    [[ \${HOME/$(/bin/touch MARK)/x} ]]
    case \${HOME/$(/bin/touch MARK)/x} in x) ls;; esac
    echo "\${x:?<(touch MARK)}"
    echo "\${x:-'$(touch MARK)'}"
    echo \`echo \\\`touch MARK\\\`\`
    cat <<E⏎\${y:->(echo $'\${#//a/"$(/bin/touch MARK)"}')}⏎E
    cat <<E⏎\\\${x:-\${y:->(echo $'\${#//a/"\${x:-$((a[$(/bin/touch MARK)]))}"}')}}⏎E
  `);
  const rules = { allow: ["Bash"], deny: ["Bash(rm:*)"] };
  it("does not hide a denied command", () => {
    expect(folder.verdict(": ${HOME/$(/bin/rm -f a.txt)/x}", { rules })).not.toBe("allow");
    expect(folder.verdict(": ${HOME/$(/bin/rm -f a.txt)/x}", { rules, mode: "plan" })).not.toBe("allow");
  });
});

describe("xargs -I puts input in the place of the command", () => {
  neverAllowed(`
    echo touch | xargs -I ls env ls MARK
    echo touch | xargs -I ls timeout 5 ls MARK
    echo touch | xargs -I ls nice ls MARK
    echo touch | xargs -I ls nohup ls MARK
    echo touch | xargs -I ls stdbuf -oL ls MARK
    echo touch | xargs -I ls command ls MARK
    echo touch | xargs -Ils env ls MARK
    echo touch | xargs -I ls bash -c "ls MARK"
    echo --files0-from=.env | xargs wc
    echo --files0-from=.env | xargs du
    echo .env | xargs cat
    echo .env | xargs -I{} cat {}
    echo .env | xargs md5sum
    find . | xargs cat
    find . -name '*.txt' | xargs cat
    git ls-files | xargs cat < list.txt
    find . -print0 -name '*.ts' | xargs -0 cat
  `);
  const rules = { allow: ["Bash"], deny: ["Bash(rm:*)"] };
  it("does not hide a denied command", () => {
    expect(folder.verdict("echo rm | xargs -I ls env ls x", { rules })).not.toBe("allow");
  });
});

describe("test with a substitution as operator", () => {
  neverAllowed(`
    [ "$(echo -v)" 'x[$(touch MARK)]' ]
    for a in -v; do test "$a" 'x[$(touch MARK)]'; done
    for a in -v; do for b in 'x[$(touch MARK)]'; do test "$a" "$b"; done; done
    test "$x" "$y"
    [ -v 'x[$(touch MARK)]' ]
    test -n a -a "$x" 'x[$(touch MARK)]'
  `);
  it.each(
    lines(`
    [ -n "$x" ] && echo yes
    [ "$a" = "$b" ] || echo no
    test -f package.json && echo yes
    [ -v HOME ]
  `),
  )("is in order: %s", (line) => expect(folder.verdict(line)).toBe("allow"));
});

describe("paths are followed as the kernel follows them", () => {
  neverAllowed(`
    cat l/l/l/l/l/l/../../../../../../etc/hostname
    cat l/../outside.txt
    cd l && cat ../outside.txt
    cd l/.. && cat outside.txt
    for i in 1 2; do cd sub; cat hostname; done
    cat linx/hostname
    cat out.txt
    cat < out.txt
    cat < l/../outside.txt
  `);
});

describe("patterns are judged by what they match", () => {
  const text = `
    cat .e*
    cat .en?
    cat .en{v,w}
    cat .[e]nv
    cat < .e*
    head .en?
    grep KEY .e*
    for f in .e*; do cat "$f"; done
    for f in .env; do cat "$f"; done
    for f in .e; do cat "\${f}nv"; done
  `;
  neverAllowed(`${text.trim()}\n cat lin?/hostname\n cat *\n cat out*\n wc -l out.*`);
  neverAllowed(text, { rules: { deny: ["Read(.env)"] } });
  neverAllowed(text, { rules: { allow: ["Bash"], deny: ["Read(.env)"] } });
  neverAllowed(
    `
    cat "$(echo .env)"
    cat $x
    echo .env | xargs cat
    find . -name .env -exec cat {} +
    grep -r KEY .
    rg --hidden KEY
    git show HEAD:.env
    git show :.env
    cp .e* x
    head -c100 --files0-from=.env
    cat < "$x"
  `,
    { rules: { allow: ["Bash"], deny: ["Read(.env)"] } },
  );
});

describe("every word that could be a file is judged", () => {
  neverAllowed(`
    head -- -n .env
    grep --exclude -A = .env
    cut -f1- --output-delimiter -d .env
    diff --label -U .env a.txt
    od -w .env
    git show :.env
    git show :0:.env
    git show 'HEAD@{1 day ago}:.env'
    git cat-file -p :.env
    git log -L 1,1:.env
    git log -p -- '.e*'
    git log -p -- '*env'
    git grep = -- ':(top).env'
    git grep = -- ':/.env'
    find . -name .env -exec cat {} +
    find . -type f -exec cat {} +
    find . -exec cat {} + -name '*.ts'
    sort --files0-from=.env
    wc --files0-from=.env
    diff --to-file=.env a.txt
    sort --random-source=.env a.txt
    git log --format=%G?
    grep -r KEY .
    grep -R x src
    grep -d recurse KEY .
    rg -L x
    rg --follow x
    rg --hidden KEY
    fd -L x
    find -L . -name x
    find . -follow
    diff -r . src
    tree -l
    git diff --no-index .env a.txt
    git grep --untracked KEY
    tar tf ../outside.txt
    sed -n p -- .env
  `);
});

describe("commands that look as if they only read", () => {
  neverAllowed(`
    uniq - MARK
    uniq a.txt MARK
    uniq -c - MARK
    xxd a.txt MARK
    xxd -r a.txt MARK
    git branch --format --list NEW
    git tag --format --list NEW
    git branch --sort --list NEW
    git tag NEW
    cd sub <<< "$(cat ../outside.txt >&2)" && ls
    cd sub 2> >(cat ../outside.txt) && ls
    less +!ls a.txt
    tar -tf a.tar --to-command=sh
    tar tIf ./evil a.tar
    sh -c 'echo $(touch MARK)'
    sh -c 'ls &> MARK'
    printenv
    printenv SECRET_KEY
    read 'a[$(touch MARK)]' < a.txt
    read PATH < a.txt
  `);
});

describe("lines that only look do not ask", () => {
  it.each(
    lines(`
    find src -name '*.ts' | xargs grep -l export
    find src -name '*.ts' -print0 | xargs -0 wc -l
    find src -name '*.ts' | xargs -I{} head -3 {}
    find src -name '*.ts' -exec grep -l export {} +
    for f in src/*.ts; do wc -l "$f"; done
    while IFS= read -r line; do echo "$line"; done < a.txt
    tail -f a.txt
    tar -tf a.tar
    unzip -l a.zip
    xxd a.txt | head
    base64 a.txt
    less a.txt
    more a.txt
    printenv PATH
    pip list
    gofmt -l src
    lsof -i :3000
    ulimit -n
    sh -c 'ls'
    bash -c 'ls'
    cat src/*.ts
    grep -rn export src
    grep -rn KEY --include='*.ts' .
    rg export src
    grep -n /etc/hosts src/a.ts
    ls src/*.ts
    git log --oneline -5 -- src
    git diff -- '*.ts'
    git show HEAD:src/a.ts
    cut -d / -f 2 a.txt
    sort -t / -k 2 a.txt | uniq -c | sort -rn
  `),
  )("%s", (line) => expect(folder.verdict(line)).toBe("allow"));
});
