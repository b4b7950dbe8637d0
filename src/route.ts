/**
 * Which requests are calls to a model, told by method, path and form of the body; the only table of paths in the hooks.
 *
 * A request that is not sure to be one passes untouched: a patched global `fetch` sees all traffic of a process, and
 * plenty of it posts to some `/messages`. Token counting, batches and embeddings have other paths and never match.
 */
import type { Api } from './exchange.ts';

export interface Route {
  readonly api: Api;
  /** Where the path names the model. */
  readonly model?: string | undefined;
}

interface RouteRule {
  readonly api: Api;
  /** Matched against the end of the path. A first group is the model. */
  readonly path: RegExp;
  /** Must occur in the body. Strings, not parsing: the answer is needed on the caller's path. */
  readonly bodyHas: readonly string[];
}

const ROUTE_RULES: readonly RouteRule[] = [
  { api: 'openai.chat', path: /\/chat\/completions$/, bodyHas: ['"messages"'] },
  // Ollama's own API. Applications have routes of that name too; Ollama's clients always say whether they want a stream.
  { api: 'openai.chat', path: /\/api\/chat$/, bodyHas: ['"messages"', '"model"', '"stream"'] },
  // Not the Assistants API: `/threads/ID/messages` adds a message and calls no model.
  { api: 'anthropic.messages', path: /^(?!.*\/threads\/).*\/messages$/, bodyHas: ['"messages"', '"model"'] },
  { api: 'openai.responses', path: /\/responses$/, bodyHas: ['"model"', '"input"'] },
  // Stored prompts and continued responses may name neither.
  { api: 'openai.responses', path: /\/responses$/, bodyHas: ['"prompt"'] },
  {
    api: 'google.generateContent',
    path: /\/([^/:]+):(?:generateContent|streamGenerateContent)$/,
    bodyHas: ['"contents"'],
  },
  { api: 'bedrock.converse', path: /\/model\/([^/]+)\/converse(?:-stream)?$/, bodyHas: ['"messages"'] },
  // InvokeModel carries any vendor's body; the version tag is what Bedrock asks of an Anthropic one.
  {
    api: 'anthropic.messages',
    path: /\/model\/([^/]+)\/invoke(?:-with-response-stream)?$/,
    bodyHas: ['"anthropic_version"', '"messages"'],
  },
  {
    api: 'anthropic.messages',
    path: /\/publishers\/anthropic\/models\/(?!count-tokens)([^/:]+):(?:rawPredict|streamRawPredict)$/,
    bodyHas: ['"messages"'],
  },
];

/** `readBody` is asked only where method and path fit, as a body in bytes must be decoded first. */
export function routeOf(method: string, url: URL, readBody: () => string | undefined): Route | undefined {
  if (method.toUpperCase() !== 'POST') return undefined;
  const path = url.pathname.replace(/\/+$/, '');
  for (const rule of ROUTE_RULES) {
    const match = rule.path.exec(path);
    if (match === null) continue;
    const bodyText = readBody();
    if (bodyText === undefined || !rule.bodyHas.every((part) => bodyText.includes(part))) continue;
    return { api: rule.api, ...(match[1] !== undefined && { model: decoded(match[1]) }) };
  }
  return undefined;
}

/** By method and path alone, for a body that is not at hand yet: the API that a call at this address would speak. */
export function apiOfPath(method: string, url: URL): Api | undefined {
  if (method.toUpperCase() !== 'POST') return undefined;
  const path = url.pathname.replace(/\/+$/, '');
  return ROUTE_RULES.find((rule) => rule.path.test(path))?.api;
}

/** Bedrock model ids may be ARNs, whose colons and slashes are sent escaped. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
