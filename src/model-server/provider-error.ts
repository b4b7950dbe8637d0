/** An error answer of the model API, in neutral form; each API puts it into its own JSON shape. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly status: number;
  /** The field at fault, where the API names it. */
  readonly param: string | undefined;
  readonly code: string | undefined;

  constructor(status: number, message: string, details: { param?: string; code?: string } = {}) {
    super(message);
    this.status = status;
    this.param = details.param;
    this.code = details.code;
  }
}

/** What the providers say where a test names no message of its own. */
export function messageOfStatus(status: number): string {
  if (status === 429) return 'This request would exceed the rate limit of your organization.';
  if (status === 529) return 'Overloaded';
  if (status >= 500) return 'Internal server error';
  return `Request rejected with status ${status}.`;
}
