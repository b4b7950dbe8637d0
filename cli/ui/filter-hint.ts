/** The filter is offered where it works: not of a server, which adds up all calls. */
import type { ViewerState } from './state.ts';

export function filterHint({ server }: Pick<ViewerState, 'server'>): string {
  return server === null ? '/ filter  ' : '';
}
