/** USD per million tokens. `null`: the provider bills no such thing, or it is not known. */
export interface Price {
  readonly input: number;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly longTtlWrite: number | null;
  readonly output: number | null;
}
