export interface CorruptionGround {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  readonly scriptFile: string;
  readonly lead: string;
  remove(): void;
}

export interface CorruptionRound {
  readonly seed: number;
  readonly done: string;
  readonly faults: readonly string[];
}

export function createCorruptionGround(): Promise<CorruptionGround>;
export function playCorruption(ground: CorruptionGround, seed: number): Promise<CorruptionRound>;
