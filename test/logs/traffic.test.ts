/**
 * Real recordings, and the answers that their usage numbers prove. The recordings lie beside the repository and are not
 * part of it: without them all of this is skipped. `it.fails` marks an answer of the engine that is known to be wrong.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/diagnose.ts';
import type { Exchange } from '../../src/exchange.ts';
import { LogError } from '../../src/logs/log-error.ts';
import { readLogPath } from '../../src/logs/open-log.ts';
import { diagnoseTraffic, groups, hasTraffic, lineOf, trafficFolder } from './traffic-folder.ts';

const TITLE = hasTraffic
  ? 'recorded traffic'
  : 'recorded traffic (SKIPPED: no recordings here; set PREFIXTRACE_TRAFFIC to their folder)';

const CAPTURES = 'claude-code-cache-fix';
const MAIN_CAPTURE = `${CAPTURES}/pinned-s-86a4ec44206b-69-71.json`;
const PYDANTIC = 'vcr-pydantic-ai';

/** File, calls of a model, conversations. */
const IMPORTED: readonly [string, number, number][] = [
  [`${CAPTURES}/flap-s-0dc8ac87c43d-86.json`, 4, 1],
  [`${CAPTURES}/harvested-append-after-change-s-628f31b605ed-323.jsonl`, 2, 1],
  [`${CAPTURES}/harvested-replace-edit-s-157bd37224d7-20.jsonl`, 2, 1],
  [`${CAPTURES}/pinned-s-4b6a435234bf-26-28.json`, 3, 2],
  [`${CAPTURES}/reset-move-s-97097e027ac0-196-197.json`, 5, 1],
  ['go-vcr-cagent/TestExec_Anthropic_ToolCall.yaml', 2, 1],
  ['go-vcr-cagent/TestRuntime_MultiAgent_SessionReload.yaml', 4, 2],
  ['go-vcr-fantasy/TestOpenAICompatibleCommon__xai-grok-code-fast__multi_tool_streaming.yaml', 2, 1],
  ['go-vcr-fantasy/TestOpenAICompatibleThinking__zai-glm-4-7-flash__thinking.yaml', 2, 1],
  ['inspect-ai/2025-05-12T20-27-36-04-00_browser.json', 5, 1],
  ['inspect-ai/2025-05-12T20-28-26-04-00_security-guide.json', 6, 6],
  ['langfuse-exports/beeai-2025-08-01.trace.json', 3, 1],
  ['langfuse-exports/langgraph-js-2025-10-30.trace.json', 2, 1],
  ['langfuse-exports/openai-agents-2025-09-30.trace.json', 2, 1],
  ['langfuse-exports/pydantic-ai-tools-2025-12-04.trace.json', 4, 2],
  ['openhands-llm-completions/llm-logs', 6, 1],
  ['swe-agent/marshmallow-1867.function_calling_replace_from_source.traj', 13, 1],
  ['vcr-crewai/TestGeminiStructuredPlanning.test_gemini_research_workflow_generates_steps.yaml', 6, 2],
  ['vcr-crewai/test_anthropic_cached_prompt_tokens_with_tools.yaml', 2, 2],
  ['vcr-crewai/test_openai_completions_cached_prompt_tokens.yaml', 2, 2],
  ['vcr-crewai/test_openai_responses_api_cached_prompt_tokens_with_tools.yaml', 2, 2],
  ['vcr-crewai/test_task_emits_failed_event_on_execution_error.yaml', 6, 1],
  ['vcr-dd-trace-py/bedrock_converse_prompt_caching.yaml', 2, 2],
  ['vcr-openllmetry/test_anthropic_prompt_caching_stream_legacy.yaml', 2, 1],
  ['vcr-openllmetry/test_invoke_model_cache_tokens.yaml', 2, 1],
  [`${PYDANTIC}/anthropic/test_anthropic_cache_bedrock_real_api.yaml`, 2, 1],
  [`${PYDANTIC}/anthropic/test_anthropic_cache_real_api.yaml`, 2, 1],
  [
    `${PYDANTIC}/anthropic/test_anthropic_code_execution_files_cache_prefix_stable--automatic-sonnet-4-6.yaml`,
    2,
    1,
  ],
  [
    `${PYDANTIC}/anthropic/test_anthropic_code_execution_files_cache_prefix_stable--messages-sonnet-5.yaml`,
    2,
    1,
  ],
  [`${PYDANTIC}/anthropic/test_anthropic_thinking_roundtrip_wire_stable--ag_ui-0_1_13.yaml`, 3, 1],
  [`${PYDANTIC}/anthropic/test_inline_system_prompt_cache_prefix_is_reused.yaml`, 2, 1],
  [`${PYDANTIC}/anthropic/test_tool_search_eval--anthropic.yaml`, 11, 4],
  [`${PYDANTIC}/bedrock/test_bedrock_cache_messages_with_document_as_last_content.yaml`, 2, 1],
  [`${PYDANTIC}/bedrock/test_bedrock_cache_write_and_read.yaml`, 2, 1],
  [`${PYDANTIC}/cross-provider/test_anthropic_to_google_deferred_capability_history_replay.yaml`, 5, 2],
  [`${PYDANTIC}/gemini/test_google_deferred_capability_announcement_live.yaml`, 3, 1],
  [`${PYDANTIC}/gemini/test_google_instructions_only_with_tool_calls.yaml`, 5, 1],
  [`${PYDANTIC}/gemini/test_google_model_cached_content.yaml`, 2, 2],
  [`${PYDANTIC}/gemini/test_google_validated_accepts_what_auto_accepts--validated.yaml`, 2, 1],
  [`${PYDANTIC}/gemini/test_tool_search_eval--google.yaml`, 10, 4],
  [`${PYDANTIC}/openai-chat/test_openai_chat_prompt_cache_e2e.yaml`, 2, 1],
  [`${PYDANTIC}/openai-chat/test_openai_tool_call_roundtrip_wire_stable--ag_ui.yaml`, 4, 1],
  [`${PYDANTIC}/openai-chat/test_tool_search_eval--openai-chat.yaml`, 8, 4],
  [`${PYDANTIC}/openai-compatible/test_mistral_history_uses_prompt_cache.yaml`, 2, 1],
  [`${PYDANTIC}/openai-responses/test_deepseek_responses--function_tool.yaml`, 2, 1],
  [`${PYDANTIC}/openai-responses/test_openai_responses_compact_messages.yaml`, 3, 1],
  [`${PYDANTIC}/openai-responses/test_openai_responses_compact_stateful_mode.yaml`, 4, 1],
  [`${PYDANTIC}/openai-responses/test_openai_responses_model_web_search_tool.yaml`, 2, 1],
  [`${PYDANTIC}/openai-responses/test_openai_responses_prompt_cache_e2e.yaml`, 2, 1],
  [`${PYDANTIC}/openai-responses/test_openai_responses_thinking_with_modified_history.yaml`, 3, 1],
  [`${PYDANTIC}/openai-responses/test_openai_responses_thinking_with_tool_calls.yaml`, 2, 1],
  [`${PYDANTIC}/openrouter/test_openrouter_cache_all_settings_real_api.yaml`, 3, 2],
  [`${PYDANTIC}/openrouter/test_openrouter_cache_instructions_gemini_real_api.yaml`, 2, 2],
  [`${PYDANTIC}/openrouter/test_openrouter_cache_messages_anthropic_real_api.yaml`, 2, 1],
];

const REFUSED: readonly [string, RegExp][] = [
  ['claude-code-transcripts/33-210c2e180b-0.jsonl', /Claude Code session transcript/],
  ['claude-code-transcripts/71-69f9710768-0.jsonl', /Claude Code session transcript/],
  ['claude-code-transcripts/a6-e4c2a0fbd1-0.jsonl', /Claude Code session transcript/],
  ['codex-rollouts', /Codex session transcript/],
  ['gemini-cli-sessions/12-cbfeaa512b-0.json', /Gemini CLI session transcript/],
  ['gemini-cli-sessions/51-3fab7adf0b-0.json', /Gemini CLI session transcript/],
  ['pi-sessions/before-compaction.jsonl', /pi session transcript/],
  ['pi-sessions/large-session.jsonl', /pi session transcript/],
  [`${CAPTURES}/growth-s-2f28383784eb-toolsBytes-2026-08-05.json`, /holds sizes .* no requests/],
  [`${CAPTURES}/growth-s-48bf252a4e02-systemBytes-2026-08-07.json`, /holds sizes .* no requests/],
  ['har-sample/polly-bedrock-agent.har', /no call to a model API \(HTTP exchanges in it: 1\)/],
  ['otel-genai-any-agent/GOOGLE_trace.json', /only one of 3 model calls .* no content to compare/],
  ['otel-genai-any-agent/OPENAI_trace.json', /only one of 3 model calls .* no content to compare/],
];

/** Nothing was lost in these: appends, repeats, another question on the same prefix, and prompts too short to be cached. */
const CLEAN: readonly string[] = [
  `${CAPTURES}/harvested-replace-edit-s-157bd37224d7-20.jsonl`,
  'go-vcr-cagent/TestExec_Anthropic_ToolCall.yaml',
  'go-vcr-cagent/TestRuntime_MultiAgent_SessionReload.yaml',
  'go-vcr-fantasy/TestOpenAICompatibleCommon__xai-grok-code-fast__multi_tool_streaming.yaml',
  'inspect-ai/2025-05-12T20-27-36-04-00_browser.json',
  'inspect-ai/2025-05-12T20-28-26-04-00_security-guide.json',
  'langfuse-exports/beeai-2025-08-01.trace.json',
  'langfuse-exports/langgraph-js-2025-10-30.trace.json',
  'langfuse-exports/openai-agents-2025-09-30.trace.json',
  'langfuse-exports/pydantic-ai-tools-2025-12-04.trace.json',
  'vcr-crewai/TestGeminiStructuredPlanning.test_gemini_research_workflow_generates_steps.yaml',
  'vcr-crewai/test_anthropic_cached_prompt_tokens_with_tools.yaml',
  'vcr-crewai/test_openai_responses_api_cached_prompt_tokens_with_tools.yaml',
  'vcr-crewai/test_task_emits_failed_event_on_execution_error.yaml',
  'vcr-dd-trace-py',
  'vcr-openllmetry',
  `${PYDANTIC}/anthropic/test_anthropic_cache_bedrock_real_api.yaml`,
  `${PYDANTIC}/anthropic/test_anthropic_cache_real_api.yaml`,
  `${PYDANTIC}/anthropic/test_anthropic_code_execution_files_cache_prefix_stable--automatic-sonnet-4-6.yaml`,
  `${PYDANTIC}/anthropic/test_anthropic_code_execution_files_cache_prefix_stable--messages-sonnet-5.yaml`,
  `${PYDANTIC}/anthropic/test_anthropic_thinking_roundtrip_wire_stable--ag_ui-0_1_13.yaml`,
  `${PYDANTIC}/anthropic/test_inline_system_prompt_cache_prefix_is_reused.yaml`,
  `${PYDANTIC}/bedrock`,
  `${PYDANTIC}/cross-provider`,
  `${PYDANTIC}/gemini`,
  `${PYDANTIC}/openai-chat`,
  `${PYDANTIC}/openai-compatible`,
  `${PYDANTIC}/openai-responses`,
  `${PYDANTIC}/openrouter/test_openrouter_cache_instructions_gemini_real_api.yaml`,
  `${PYDANTIC}/openrouter/test_openrouter_cache_messages_anthropic_real_api.yaml`,
];

describe.skipIf(!hasTraffic)(TITLE, () => {
  describe('every file is read or refused for its reason', () => {
    it.each(IMPORTED)('%s: %i calls in %i conversations', async (path, calls, conversations) => {
      const log = await diagnoseTraffic(path);
      expect(log.unreadable).toEqual([]);
      expect(log.calls).toHaveLength(calls);
      expect(groups(log.calls)).toHaveLength(conversations);
    });

    it.each(REFUSED)('%s', async (path, reason) => {
      const error: unknown = await diagnoseTraffic(path).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(LogError);
      expect((error as LogError).message).toMatch(reason);
    });
  });

  it.each(CLEAN)('no false alarm in %s', async (path) => {
    const { findings } = await diagnoseTraffic(path);
    expect(findings).toEqual([]);
  });

  describe('Claude Code through a whole session (rows 1, 2, 19)', () => {
    const session = diagnoseOnce('claude-trace/structure-only.jsonl');
    const at = async (line: number) => (await session()).calls.find((call) => lineOf(call) === line);

    it('keeps the main loop together, and helper calls and the summary out of it', async () => {
      const { calls } = await session();
      const loop = (await at(33))?.lineage;
      const inLoop = calls.filter(({ lineage }) => lineage === loop);
      expect(inLoop).toHaveLength(16);
      expect(inLoop.every(({ model }) => model?.startsWith('claude-sonnet-4'))).toBe(true);
      expect(inLoop.map(lineOf)).not.toContain(35);
      expect((await at(58))?.lineage).toBe(loop);
    });

    it('finds nothing but the summary’s lost cache', async () => {
      expect((await session()).findings.map(lineOf)).toEqual([35]);
    });

    it('row 1: the summary drops the tools', async () => {
      const summary = await at(35);
      expect(summary).toMatchObject({
        outcome: 'miss',
        certainty: 'observed',
        divergence: { component: 'tools', kind: 'tools.removed', path: 'tools[0]' },
        tokens: { cacheRead: 0, cacheWrite: 12_072, rebilled: 12_075 },
      });
      expect(summary?.divergence?.also).toEqual(
        expect.arrayContaining([expect.objectContaining({ component: 'system' })]),
      );
    });

    it('row 2: after the summary tools and system survive, as is meant', async () => {
      const after = await at(58);
      expect(after).toMatchObject({
        expected: 'compaction',
        finding: false,
        divergence: { kind: 'messages.compacted' },
        tokens: { cacheRead: 13_515, cacheWrite: 8_284 },
      });
      expect(Math.abs((after?.tokens.expectedRead ?? 0) - 13_515)).toBeLessThan(13_515 * 0.05);
    });

    it('expects each read of the loop to the token', async () => {
      const { calls } = await session();
      const appended = calls.filter((call) => call.model?.startsWith('claude-sonnet-4') && lineOf(call) < 35);
      for (const { tokens } of appended) expect(tokens.expectedRead).toBe(tokens.cacheRead);
    });
  });

  it('row 3: old tool results are emptied at every step from the sixth on', async () => {
    const { calls, findings } = await diagnoseTraffic('swe-agent');
    expect(findings.map(({ index }) => index)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    expect(findings.map(({ divergence }) => divergence?.kind)).toEqual(
      Array(8).fill('messages.tool_result_cleared'),
    );
    expect(findings.map(({ divergence }) => divergence?.path)).toEqual(
      [3, 5, 7, 9, 11, 13, 15, 17].map((message) => `messages[${message}].content`),
    );
    for (const { index, tokens } of findings) {
      const kept = tokens.shared / (calls[index - 1]?.tokens.input ?? 1);
      expect(kept).toBeGreaterThan(0.25);
      expect(kept).toBeLessThan(0.75);
    }
  });

  describe('row 4: a reminder moves between the user’s message and a system message', () => {
    it('is found where it left, late in a very long prompt', async () => {
      const { calls } = await diagnoseTraffic(
        `${CAPTURES}/harvested-append-after-change-s-628f31b605ed-323.jsonl`,
      );
      expect(calls[1]?.divergence).toMatchObject({
        kind: 'messages.injected_block_moved',
        path: 'messages[503].content[1]',
      });
      expect((calls[1]?.tokens.shared ?? 0) / (calls[0]?.tokens.input ?? 1)).toBeGreaterThan(0.9);
    });

    it('is found at the last request of the capture', async () => {
      const { calls } = await diagnoseTraffic(MAIN_CAPTURE);
      expect(calls.at(-1)).toMatchObject({
        finding: true,
        divergence: { kind: 'messages.injected_block_moved', path: 'messages[31].content[6]' },
      });
    });

    it('is found at each flap, at the message that flaps', async () => {
      const { calls, findings } = await diagnoseTraffic(`${CAPTURES}/flap-s-0dc8ac87c43d-86.json`);
      expect(findings.map(({ index }) => index)).toEqual([1, 2, 3]);
      for (const { index, divergence, tokens } of findings) {
        expect(divergence?.path).toMatch(/^messages\[85\]\.content/);
        expect(tokens.shared / (calls[index - 1]?.tokens.input ?? 1)).toBeGreaterThan(0.84);
      }
    });

    it.each([
      [`${CAPTURES}/flap-s-0dc8ac87c43d-86.json`, [1, 2, 3]],
      [`${CAPTURES}/pinned-s-4b6a435234bf-26-28.json`, [2]],
      [`${CAPTURES}/reset-move-s-97097e027ac0-196-197.json`, [1]],
    ])('is called by its name in %s', async (path, moved) => {
      const { calls } = await diagnoseTraffic(path);
      expect(moved.map((index) => calls[index]?.divergence?.kind)).toEqual(
        moved.map(() => 'messages.injected_block_moved'),
      );
    });

    // A head that was left by a changed call is gone when the older branch goes on.
    it.fails('two branches that take turns are not held against each other', async () => {
      const { calls } = await diagnoseTraffic(`${CAPTURES}/reset-move-s-97097e027ac0-196-197.json`);
      expect(calls.map(({ baseline }) => baseline)).toEqual([null, 0, 1, 1, 2]);
      expect(calls.slice(3).map(({ divergence }) => divergence)).toEqual([null, null]);
    });
  });

  describe('row 5: an append that lost the cache, and a longer one that did not', () => {
    const capture = diagnoseOnce(MAIN_CAPTURE);
    const withRead = async (read: number) =>
      (await capture()).calls.find(({ tokens }) => tokens.cacheRead === read);

    it('tells the loss to the token and blames no content for it', async () => {
      expect(await withRead(15_543)).toMatchObject({
        finding: true,
        divergence: null,
        outcome: 'partial',
        tokens: { cacheWrite: 133_553, rebilled: 136_216 - 15_543 },
      });
    });

    it('finds nothing at the step of 23 blocks', async () => {
      expect(await withRead(241_545)).toMatchObject({ finding: false, outcome: 'hit' });
    });

    it('names the look-back of the cache', async () => {
      expect((await withRead(15_543))?.miss).toBe('lookback_exceeded');
    });

    it('expects each read of the main loop to the token', async () => {
      const { calls } = await capture();
      const appended = calls.filter(
        ({ model, divergence, miss, tokens, turn }) =>
          model === 'claude-fable-5' && turn > 1 && !divergence && !miss && tokens.cacheRead !== null,
      );
      expect(appended.length).toBeGreaterThan(40);
      for (const { tokens } of appended) {
        expect(Math.abs((tokens.expectedRead ?? 0) - (tokens.cacheRead ?? 0))).toBeLessThanOrEqual(16);
      }
    });

    // It opens with the same reminder and has two thirds of the tools, and so it is taken for the main loop.
    it('row 19: the second loop, under another system prompt, is a conversation of its own', async () => {
      const { calls } = await capture();
      const loop = calls.filter(({ model }) => model === 'claude-fable-5');
      expect(new Set(loop.map(({ lineage }) => lineage)).size).toBe(2);
      expect(loop.find(({ tokens }) => tokens.cacheRead === 237_421)?.divergence).toBeNull();
    });

    // What the shared part holds is an estimate there; the read of 1,430 is all that was ever cached of it.
    it('sub-calls that share the system prompt alone are no finding', async () => {
      const { calls } = await capture();
      const siblings = calls.filter(({ tokens }) => tokens.cacheRead === 1_430);
      expect(siblings).toHaveLength(2);
      expect(siblings.map(({ finding }) => finding)).toEqual([false, false]);
    });

    // The same question was asked three times at once; each goes on with the answer that it got.
    it('another answer to the same request is a branch, not a changed history', async () => {
      const { calls } = await capture();
      const resampled = calls.filter(({ model }) => model === 'claude-sonnet-5');
      expect(resampled.filter(({ divergence }) => divergence !== null)).toEqual([]);
    });
  });

  describe('row 13: tokens that the provider lost', () => {
    it('an equal prefix that was not read is not blamed on content', async () => {
      const { calls } = await diagnoseTraffic('vcr-crewai/test_openai_completions_cached_prompt_tokens.yaml');
      expect(calls[1]).toMatchObject({
        divergence: null,
        outcome: 'miss',
        certainty: 'inferred',
        tokens: { rebilled: 1_024 },
      });
      expect(['routing', 'provider_side']).toContain(calls[1]?.miss);
    });

    it('a smaller read after an append is not blamed on content', async () => {
      const { calls } = await diagnoseTraffic(
        'go-vcr-fantasy/TestOpenAICompatibleThinking__zai-glm-4-7-flash__thinking.yaml',
      );
      expect(calls[1]).toMatchObject({ divergence: null, tokens: { cacheRead: 43 } });
    });

    // 169 tokens were read before, below the minimum that is assumed of a provider that documents none.
    it('a read that fell from 169 to 43 tokens is not a whole hit', async () => {
      const { calls } = await diagnoseTraffic(
        'go-vcr-fantasy/TestOpenAICompatibleThinking__zai-glm-4-7-flash__thinking.yaml',
      );
      expect(calls[1]?.outcome).toBe('partial');
    });
  });

  it('row 14: caching was never switched on', async () => {
    const { calls, findings } = await diagnoseTraffic('openhands-llm-completions/llm-logs');
    expect(findings.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5]);
    for (const { divergence, miss } of findings) {
      expect(divergence).toMatchObject({ component: 'breakpoints', kind: 'breakpoints.missing' });
      expect(miss).toBe('no_breakpoint');
    }
    expect(calls.map(({ tokens }) => tokens.input)).toEqual([4812, 5002, 6123, 6277, 6485, 6729]);
  });

  it.each([
    [`${CAPTURES}/harvested-replace-edit-s-157bd37224d7-20.jsonl`],
    [`${PYDANTIC}/openrouter/test_openrouter_cache_messages_anthropic_real_api.yaml`],
    [`${PYDANTIC}/bedrock/test_bedrock_cache_messages_with_document_as_last_content.yaml`],
  ])('row 15: an equal prompt in other JSON does not diverge: %s', async (path) => {
    const { calls } = await diagnoseTraffic(path);
    expect(calls[1]).toMatchObject({ baseline: 0, turn: 2, divergence: null, miss: null, finding: false });
  });

  it.each([
    ['vcr-crewai/test_anthropic_cached_prompt_tokens_with_tools.yaml', 1_857],
    ['vcr-dd-trace-py/bedrock_converse_prompt_caching.yaml', 1_028],
    [`${PYDANTIC}/bedrock/test_bedrock_single_tool_choice_preserves_cache--anthropic.yaml`, 2_752],
  ])('row 16: what differs behind the last mark costs nothing: %s', async (path, read) => {
    const { calls, findings } = await diagnoseTraffic(path);
    expect(findings).toEqual([]);
    expect(calls[1]?.tokens).toMatchObject({ cacheRead: read, rebilled: 0 });
  });

  describe('row 18: bodies that do not hold the prompt', () => {
    const CHAIN = `${PYDANTIC}/openai-responses/test_openai_responses_compact_with_auto_previous_response_id_chain.yaml`;

    it('puts a chain together whose beginning was seen', async () => {
      const { calls } = await diagnoseTraffic(CHAIN);
      expect(calls[1]).toMatchObject({ baseline: 0, turn: 2, divergence: null });
      // OpenAI's own compaction starts the history anew; at this size that costs nothing.
      const kinds = calls.flatMap(({ divergence }) => (divergence ? [divergence.kind] : []));
      expect(kinds.every((kind) => kind === 'messages.compacted')).toBe(true);
      expect(calls.every(({ finding }) => !finding)).toBe(true);
    });

    it('does not compare a chain whose beginning was not seen', async () => {
      const engine = await createEngine();
      const exchanges: Exchange[] = [];
      for await (const { exchange } of readLogPath(join(trafficFolder, CHAIN))) exchanges.push(exchange);
      const [first, delta] = exchanges as [Exchange, Exchange];
      // The same question, so that its own text alone would make it look like the call before.
      engine.start({ ...first, body: { ...(first.body as object) } }).finish(undefined);
      const call = engine.start(delta).finish(delta.response);
      expect('diagnosis' in call && call.diagnosis).toMatchObject({
        baseline: null,
        divergence: null,
        finding: false,
      });
    });

    it('knows that the server rewrote the history', async () => {
      const { calls } = await diagnoseTraffic(
        `${PYDANTIC}/openai-responses/test_openai_responses_compact_stateful_mode.yaml`,
      );
      expect(calls[3]).toMatchObject({
        divergence: null,
        finding: false,
        expected: 'server_side_compaction',
      });
    });

    it('holds prompts in an explicit cache object against nothing but each other', async () => {
      const { calls } = await diagnoseTraffic(`${PYDANTIC}/gemini/test_google_model_cached_content.yaml`);
      for (const call of calls) expect(call).toMatchObject({ divergence: null, outcome: 'hit' });
    });

    // A call with server-side tools reports the sum of its inner runs, which bounds no later read.
    it('expects no read that is larger than the prompt', async () => {
      const { calls } = await diagnoseTraffic(
        `${PYDANTIC}/anthropic/test_anthropic_code_execution_files_cache_prefix_stable--messages-sonnet-5.yaml`,
      );
      for (const { tokens } of calls) expect(tokens.expectedRead ?? 0).toBeLessThanOrEqual(tokens.input);
    });
  });

  describe('row 19: conversations that share a file', () => {
    it.each<[string, number[][]]>([
      [
        `${PYDANTIC}/anthropic/test_tool_search_eval--anthropic.yaml`,
        [
          [0, 1, 2],
          [3, 4, 5, 6],
          [7, 8],
          [9, 10],
        ],
      ],
      [`${PYDANTIC}/openai-chat/test_tool_search_eval--openai-chat.yaml`, [[0, 1, 2], [3, 4, 5], [6], [7]]],
      [`${PYDANTIC}/gemini/test_tool_search_eval--google.yaml`, [[0, 1, 2], [3, 4, 5], [6], [7, 8, 9]]],
      ['go-vcr-cagent/TestRuntime_MultiAgent_SessionReload.yaml', [[0, 2, 3], [1]]],
      [
        'vcr-crewai/TestGeminiStructuredPlanning.test_gemini_research_workflow_generates_steps.yaml',
        [[0], [1, 2, 3, 4, 5]],
      ],
      ['langfuse-exports/pydantic-ai-tools-2025-12-04.trace.json', [[0, 1, 2], [3]]],
    ])('%s', async (path, expected) => {
      expect(groups((await diagnoseTraffic(path)).calls)).toEqual(expected);
    });

    it('tells tools that were discovered on the way, and that it cost nothing', async () => {
      const { calls, findings } = await diagnoseTraffic(
        `${PYDANTIC}/gemini/test_tool_search_eval--google.yaml`,
      );
      const diverged = calls.filter(({ divergence }) => divergence !== null);
      expect(diverged.map(({ index, divergence }) => [index, divergence?.kind])).toEqual([
        [1, 'tools.added'],
        [4, 'tools.added'],
      ]);
      expect(findings).toEqual([]);
    });

    // The call before was below the minimum, so there was nothing that a mark could have read back.
    it('no missing mark is claimed where nothing could have been cached', async () => {
      const { findings } = await diagnoseTraffic(
        `${PYDANTIC}/anthropic/test_tool_search_eval--anthropic.yaml`,
      );
      expect(findings.map(({ index }) => index)).not.toContain(5);
    });

    // The read of 2,240 is all that the marks of the first call had left for this prompt.
    it('another question on the same system prompt is no loss', async () => {
      const { findings } = await diagnoseTraffic(
        `${PYDANTIC}/openrouter/test_openrouter_cache_all_settings_real_api.yaml`,
      );
      expect(findings).toEqual([]);
    });
  });
});

/** One diagnosis for all tests of a long log. */
function diagnoseOnce(path: string): () => ReturnType<typeof diagnoseTraffic> {
  let log: ReturnType<typeof diagnoseTraffic> | undefined;
  return () => {
    log ??= diagnoseTraffic(path);
    return log;
  };
}
