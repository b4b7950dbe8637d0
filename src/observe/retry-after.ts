/** How long a server asks to wait, in the two headers that the official SDKs obey. */
export function retryAfterMs(headerOf: (name: string) => string | null | undefined): number | undefined {
  const exactMs = Number(headerOf('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exactMs)) return Math.max(0, exactMs);
  const stated = headerOf('retry-after');
  if (stated === null || stated === undefined) return undefined;
  const waitMs = /^\d+(\.\d+)?$/.test(stated) ? Number(stated) * 1_000 : Date.parse(stated) - Date.now();
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}
