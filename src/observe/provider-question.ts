/**
 * Asks the provider for its own cache diagnosis, which needs to know the response to compare with. The one place where a
 * request is changed, and only where the user asked for it: one member is put in, every other byte stays.
 *
 * Anthropic: `diagnostics.previous_message_id`, sent on every call, `null` on the first
 * (https://platform.claude.com/docs/en/build-with-claude/cache-diagnostics, GA 2026-09-28; Claude API alone).
 * OpenAI: `prompt_cache_options.comparison_response_id`, Responses, GPT-5.6 and later
 * (https://developers.openai.com/api/docs/guides/prompt-caching/diagnostics).
 */
import type { Api } from '../exchange.ts';
import { type MemberSpan, topLevelMemberSpans } from '../prompt/json-text.ts';

export interface Asking {
  readonly api: Api;
  readonly url: URL;
  /** The response of the call before in this lineage; `undefined`: none, or not known yet. */
  readonly previousId: string | undefined;
}

/** The body with the question in it; `undefined` where there is none to ask, or the user asks already. */
export function withQuestion(body: string, { api, url, previousId }: Asking): string | undefined {
  if (api === 'anthropic.messages' && isClaudeApi(url)) {
    if (memberOf(body, 'diagnostics') !== undefined) return undefined;
    return withMember(body, `"diagnostics":{"previous_message_id":${JSON.stringify(previousId ?? null)}}`);
  }
  if (api !== 'openai.responses' || previousId === undefined || !isDiagnosedModel(body)) return undefined;
  const question = `"comparison_response_id":${JSON.stringify(previousId)}`;
  const options = memberOf(body, 'prompt_cache_options');
  if (options === undefined) return withMember(body, `"prompt_cache_options":{${question}}`);
  const value = body.slice(options.valueStart, options.valueEnd);
  if (memberOf(value, 'comparison_response_id') !== undefined) return undefined;
  const asked = withMember(value, question);
  return asked && body.slice(0, options.valueStart) + asked + body.slice(options.valueEnd);
}

/** Bedrock and Vertex name the model in the path, Foundry has a path of its own; none of them documents diagnostics. */
function isClaudeApi({ pathname, hostname }: URL): boolean {
  return /\/v1\/messages\/?$/.test(pathname) && !hostname.endsWith('.azure.com');
}

/** Older models refuse the parameter. */
function isDiagnosedModel(body: string): boolean {
  const span = memberOf(body, 'model');
  const version = span && /^"gpt-(\d+(?:\.\d+)?)/.exec(body.slice(span.valueStart, span.valueEnd))?.[1];
  return version !== undefined && Number(version) >= 5.6;
}

function memberOf(text: string, name: string): MemberSpan | undefined {
  const quoted = JSON.stringify(name);
  for (const span of topLevelMemberSpans(text)) {
    if (text.slice(span.nameStart, span.nameEnd) === quoted) return span;
  }
  return undefined;
}

/** Puts a member at the end of the object that the text is; `undefined` where it is none. */
function withMember(text: string, member: string): string | undefined {
  const end = text.trimEnd().length - 1;
  if (text[end] !== '}') return undefined;
  const isEmpty = text.slice(0, end).trimEnd().endsWith('{');
  return `${text.slice(0, end)}${isEmpty ? '' : ','}${member}${text.slice(end)}`;
}
