/**
 * Returns the look of a name at a glance. Names with the same skeleton can be confused, so a team has only one of them.
 * Folds compatibility forms, case, accents, separators, and letters of other alphabets that look Latin.
 */
export function skeletonOf(name: string): string {
  return Array.from(name.normalize("NFKD").replace(/\p{M}|\p{Default_Ignorable_Code_Point}/gu, ""))
    .map((letter) => likeCapital.get(letter) ?? letter)
    .join("")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/./gsu, (letter) => likeSmall.get(letter) ?? letter)
    .replace(/[\s._-]+/g, "-")
    .replace(/^-|-$/g, "")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
}

/** A Latin letter, then its look-alikes: Cyrillic, Greek, Armenian, Cherokee, Lisu, other Latin. */
const capitals = [
  "AАΑᎪꓮ",
  "BВΒᏴꓐ",
  "CСϹᏟꓚ",
  "DᎠꓓ",
  "EЕΕᎬꓰ",
  "FϜꓝ",
  "GԌᏀꓖ",
  "HНΗᎻꓧ",
  "IІΙӀꓲ",
  "JЈͿᎫꓙ",
  "KКΚᏦꓗ",
  "LᏞꓡ",
  "MМΜᎷꓟ",
  "NΝꓠ",
  "OОΟՕꓳ",
  "PРΡᏢꓑ",
  "QԚ",
  "RᎡꓣ",
  "SЅՏᏚꓢ",
  "TТΤᎢꓔ",
  "UՍꓴ",
  "VѴᏙꓦ",
  "WԜᎳꓪ",
  "XХΧꓫ",
  "YҮΥꓬ",
  "ZΖᏃꓜ",
];
const smalls = [
  "aаαɑ",
  "bЬьƄ",
  "cсϲᴄ",
  "dԁɗ",
  "eеєҽ",
  "fẝſ",
  "gɡցğ",
  "hһհ",
  "jјϳ",
  "kкκ",
  "mм",
  "nпηո",
  "oоοօσ0",
  "pрρ",
  "qԛզ",
  "rгᴦ",
  "sѕꜱ",
  "tтτ",
  "uυսцᴜ",
  "vѵνᴠ",
  "wԝшɯω",
  "xхχ",
  "yуγү",
  "zᴢ",
  "liіιıӏ1ƖІ|",
];

const toMap = (rows: readonly string[]): ReadonlyMap<string, string> =>
  new Map(rows.flatMap(([latin = "", ...others]) => others.map((other) => [other, latin] as const)));

const likeCapital = toMap(capitals);
const likeSmall = toMap(smalls);
