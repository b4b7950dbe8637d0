/**
 * Images, where their mere presence changes how the messages are cached: "images present or absent anywhere in the prompt"
 * invalidates the messages, tools and system survive (Anthropic, prompt-caching page, "What invalidates the cache").
 */
import type { Divergence } from '../diagnosis.ts';
import type { Prompt, Segment } from '../prompt/prompt.ts';
import type { Judged } from './judged.ts';
import type { CacheRules } from './rules.ts';

function firstImage(prompt: Prompt): Segment | undefined {
  return prompt.segments.find(({ holdsImage }) => holdsImage);
}

/** Where that makes a difference. */
export function hasTellingImages(prompt: Prompt, { imagesSplitMessages }: CacheRules): boolean {
  return imagesSplitMessages && firstImage(prompt) !== undefined;
}

/** The prompt only grew, but by the first image of its conversation, and nothing else kept it from its entries. */
export function firstImageAdded({ prompt, simulation }: Judged, lost: boolean): Divergence | null {
  if (!lost || simulation?.obstacle !== 'images_changed') return null;
  const image = firstImage(prompt);
  if (image === undefined) return null;
  return {
    component: 'messages',
    kind: 'messages.first_image',
    path: image.path,
    leaf: image.path,
    byteOffset: null,
    label: 'image',
    also: [],
    advice:
      'The first image of a conversation has all messages written again; where images are likely, send a small one in the first message, or start a new conversation with the image.',
  };
}
