/**
 * `docs/expected-reads.md` is what this test computes over the recordings beside the repository; without them it is skipped.
 * Write it anew with `npx vitest run test/logs/expected-reads.test.ts -u`.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Diagnosis } from '../../src/diagnosis.ts';
import { LogError } from '../../src/logs/log-error.ts';
import { diagnoseTraffic, hasTraffic, trafficFolder } from './traffic-folder.ts';

/** Why a file's expected reads are off. A file that is off and has no reason here fails. */
const REASONS: Readonly<Record<string, string>> = {
  'pinned-s-86a4ec44206b-69-71.json':
    'one read past the documented look-back failed (the finding); two sub-calls read less, or more, of a shared head than its estimate',
  'TestOpenAICompatibleCommon__xai-grok-code-fast__multi_tool_streaming.yaml':
    'xAI reads the answer back too, which none of its pages promises',
  'TestOpenAICompatibleThinking__zai-glm-4-7-flash__thinking.yaml':
    'best effort: 169, then 43, without any change',
  'TestGeminiStructuredPlanning.test_gemini_research_workflow_generates_steps.yaml':
    'Gemini reads 330 and 375 tokens, far below its documented minimum of 2,048',
  'test_anthropic_cached_prompt_tokens_with_tools.yaml': 'the entry was written before the recording began',
  'test_openai_completions_cached_prompt_tokens.yaml':
    'best effort: an equal prefix, sent to another machine',
  'test_task_emits_failed_event_on_execution_error.yaml':
    'OpenAI reads one step of 128 less than the prefix holds',
  'test_google_validated_accepts_what_auto_accepts--validated.yaml':
    'Gemini reads 594 tokens, below its documented minimum of 2,048',
  'test_mistral_history_uses_prompt_cache.yaml':
    'Mistral reads 224, which is no multiple of its documented 64',
  'test_deepseek_responses--function_tool.yaml': 'DeepSeek reads the answer back too',
  'test_openai_responses_thinking_with_tool_calls.yaml': "OpenAI reads the model's own reasoning back too",
  'test_openrouter_cache_all_settings_real_api.yaml': 'a shared head whose size is an estimate',
};

interface Row {
  readonly file: string;
  readonly compared: number;
  readonly near: number;
  readonly telling: number;
  readonly tellingNear: number;
}

function rowOf(file: string, calls: readonly Diagnosis[]): Row {
  const compared = calls.flatMap(({ baseline, tokens }) => {
    const { expectedRead: expected, cacheRead: actual } = tokens;
    if (expected === null || actual === null) return [];
    const isNear = Math.abs(expected - actual) <= Math.max(expected, actual) * 0.05;
    return [{ isNear, isTelling: baseline !== null && (expected > 0 || actual > 0) }];
  });
  const telling = compared.filter(({ isTelling }) => isTelling);
  return {
    file,
    compared: compared.length,
    near: compared.filter(({ isNear }) => isNear).length,
    telling: telling.length,
    tellingNear: telling.filter(({ isNear }) => isNear).length,
  };
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(trafficFolder, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    })
    .filter((path) => !/\.(md|txt)$/.test(path));
}

async function rows(): Promise<Row[]> {
  const all: Row[] = [];
  for (const file of filesBelow('').sort()) {
    // Transcripts without bodies are refused, licences are no logs.
    const calls = await diagnoseTraffic(file).then(
      (log) => log.calls,
      (error: unknown) => {
        if (error instanceof LogError) return [];
        throw error;
      },
    );
    const row = rowOf(file.split('/').at(-1) as string, calls);
    if (row.compared > 0) all.push(row);
  }
  return all;
}

const TITLE =
  'docs/expected-reads.md says how near the expected reads of recorded traffic are to the actual ones';

it.skipIf(!hasTraffic)(
  hasTraffic ? TITLE : `${TITLE} (SKIPPED: no recordings here; set PREFIXTRACE_TRAFFIC to their folder)`,
  async () => {
    const all = await rows();
    const sum = (name: 'compared' | 'near' | 'telling' | 'tellingNear') =>
      all.reduce((total, row) => total + row[name], 0);
    const off = all.filter(({ near, compared }) => near < compared);
    expect(off.filter(({ file }) => REASONS[file] === undefined)).toEqual([]);
    const line = ({ file, compared, near }: Row) =>
      `| ${file} | ${near} of ${compared} | ${REASONS[file] ?? ''} |`;
    const even = all.filter(({ near, compared }) => near === compared);
    const page = `# Expected and actual reads of recorded traffic

For each call of public recordings that has a full body and usage, the read that the provider's documented rules lead one to
expect, against the read that the API reported. Near means within 5 %.

- ${sum('near')} of ${sum('compared')} calls are near (${percent(sum('near'), sum('compared'))}).
- Of those with a call before them and a figure above zero on either side: ${sum('tellingNear')} of ${sum('telling')} (${percent(sum('tellingNear'), sum('telling'))}).
- ${even.length} of ${all.length} recordings are near throughout. The others, and why:

| recording | near | why not all |
|---|---:|---|
${off.map(line).join('\n')}
`;
    await expect(page).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/expected-reads.md'));
  },
  300_000,
);

function percent(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`;
}
