import type { KindRule } from '../../kind-rule.ts';
import { isSameTool } from '../../recognise/tools.ts';
import { isReorderedList, isVolatileChange } from '../../recognise/volatile.ts';

export const descriptionVolatile: KindRule = {
  kind: 'tools.description_volatile',
  advice:
    'Take the changing value (path, id, time, list order) out of the tool definition: say it in the newest message, or fix it once per session.',
  matches: (difference) => {
    const { span } = difference;
    return isSameTool(difference) && span !== undefined && (isVolatileChange(span) || isReorderedList(span));
  },
};
