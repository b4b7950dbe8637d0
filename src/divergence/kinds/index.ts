/** The rules of each component, in the order in which they are asked: what is certain first, the fallback last. */
import type { SegmentComponent } from '../../prompt/prompt.ts';
import type { KindRule } from '../kind-rule.ts';
import { attachmentRefreshed } from './messages/attachment-refreshed.ts';
import { compacted } from './messages/compacted.ts';
import { deduplicated } from './messages/deduplicated.ts';
import { edited } from './messages/edited.ts';
import { historyElided } from './messages/history-elided.ts';
import { imageDropped } from './messages/image-dropped.ts';
import { injectedBlockMoved } from './messages/injected-block-moved.ts';
import { injectedContextChanged } from './messages/injected-context-changed.ts';
import { restructured } from './messages/restructured.ts';
import { textNormalized } from './messages/text-normalized.ts';
import { thinkingStripped } from './messages/thinking-stripped.ts';
import { toolArgsReserialized } from './messages/tool-args-reserialized.ts';
import { toolCallIdRegenerated } from './messages/tool-call-id-regenerated.ts';
import { toolResultCleared } from './messages/tool-result-cleared.ts';
import { toolResultsReordered } from './messages/tool-results-reordered.ts';
import { volatileValue } from './messages/volatile-value.ts';
import { windowSlid } from './messages/window-slid.ts';
import { switched } from './model/switched.ts';
import { betaHeader } from './parameters/beta-header.ts';
import { reasoning } from './parameters/reasoning.ts';
import { responseSchema } from './parameters/response-schema.ts';
import { serviceTier } from './parameters/service-tier.ts';
import { toolChoice } from './parameters/tool-choice.ts';
import { agentState } from './system/agent-state.ts';
import { dateRollover } from './system/date-rollover.ts';
import { environmentState } from './system/environment-state.ts';
import { instructionsChanged } from './system/instructions-changed.ts';
import { lateMessageHoisted } from './system/late-message-hoisted.ts';
import { modeSwitch } from './system/mode-switch.ts';
import { randomId } from './system/random-id.ts';
import { retrievedContext } from './system/retrieved-context.ts';
import { timestamp } from './system/timestamp.ts';
import { added } from './tools/added.ts';
import { descriptionChanged } from './tools/description-changed.ts';
import { descriptionVolatile } from './tools/description-volatile.ts';
import { removed } from './tools/removed.ts';
import { reordered } from './tools/reordered.ts';
import { schemaOrder } from './tools/schema-order.ts';

export const KIND_RULES: Record<SegmentComponent, readonly KindRule[]> = {
  model: [switched],
  tools: [added, removed, reordered, schemaOrder, descriptionVolatile, descriptionChanged],
  system: [
    timestamp,
    dateRollover,
    randomId,
    lateMessageHoisted,
    environmentState,
    agentState,
    retrievedContext,
    modeSwitch,
    instructionsChanged,
  ],
  parameters: [toolChoice, reasoning, responseSchema, serviceTier, betaHeader],
  messages: [
    thinkingStripped,
    toolResultsReordered,
    toolCallIdRegenerated,
    toolArgsReserialized,
    textNormalized,
    restructured,
    imageDropped,
    windowSlid,
    compacted,
    deduplicated,
    toolResultCleared,
    injectedBlockMoved,
    attachmentRefreshed,
    injectedContextChanged,
    volatileValue,
    historyElided,
    edited,
  ],
};
