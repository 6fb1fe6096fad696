export interface LineSplitter {
  /** In bytes. */
  readonly limit: number;
  readonly onLine: (line: string) => void;
  /** Called for a line beyond the limit, with its beginning and its end. The rest was dropped. */
  readonly onOverlong: (edges: { head: string; tail: string }) => void;
}

/** Splits chunks into lines and never holds more than `limit` bytes. */
export function createLineSplitter({ limit, onLine, onOverlong }: LineSplitter): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let length = 0;
  let dropped: { head: string; tail: Buffer } | undefined;

  const drop = () => {
    const whole = Buffer.concat(pieces);
    dropped = { head: whole.toString("utf8", 0, edge), tail: Buffer.from(whole.subarray(-edge)) };
    pieces = [];
  };
  const take = (piece: Buffer) => {
    if (piece.length === 0) return;
    length += piece.length;
    if (dropped) dropped.tail = Buffer.concat([dropped.tail, piece.subarray(-edge)]).subarray(-edge);
    else pieces.push(piece);
    if (!dropped && length > limit) drop();
  };
  const finish = () => {
    if (dropped) onOverlong({ head: dropped.head, tail: dropped.tail.toString("utf8") });
    else if (length > 0) onLine(Buffer.concat(pieces).toString("utf8"));
    pieces = [];
    length = 0;
    dropped = undefined;
  };

  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, at));
      finish();
      from = at + 1;
    }
    take(chunk.subarray(from));
  };
}

const newline = 0x0a;
const edge = 2_000;
