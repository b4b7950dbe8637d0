/**
 * Session files that coding agents keep for themselves: turns and usage, but no request bodies. Usage alone is diagnosed
 * from them; who asks for exchanges is told what the file is, and not that it is broken.
 */
import type { JsonObject } from '../../exchange.ts';
import { isJsonObject } from '../../json-value.ts';
import { LogError } from '../log-error.ts';
import {
  readClaudeCode,
  readCodex,
  readGeminiCli,
  readPi,
  type TranscriptReader,
} from '../transcripts/read-transcript.ts';
import type { LogFormat } from './format.ts';

const CODEX_TYPES: ReadonlySet<unknown> = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
]);

export const claudeCodeTranscript = transcript('Claude Code', readClaudeCode, (record) => {
  const isTurn = typeof record.sessionId === 'string' && 'uuid' in record && 'parentUuid' in record;
  return (
    isTurn || record.type === 'file-history-snapshot' || (record.type === 'summary' && 'leafUuid' in record)
  );
});

export const codexTranscript = transcript(
  'Codex',
  readCodex,
  ({ type, payload, timestamp }) => CODEX_TYPES.has(type) && isJsonObject(payload) && timestamp !== undefined,
);

export const geminiTranscript = transcript(
  'Gemini CLI',
  readGeminiCli,
  ({ sessionId, projectHash, messages }) =>
    typeof sessionId === 'string' && projectHash !== undefined && Array.isArray(messages),
);

export const piTranscript = transcript(
  'pi',
  readPi,
  ({ type, id, cwd, provider, version }) =>
    type === 'session' &&
    typeof id === 'string' &&
    cwd !== undefined &&
    (provider !== undefined || version !== undefined),
);

function transcript(
  agent: string,
  readUsageRecords: TranscriptReader,
  fits: (record: JsonObject) => boolean,
): LogFormat {
  return {
    name: `${agent} session transcript`,
    fits,
    readUsageRecords,
    // biome-ignore lint/correctness/useYield: it never gets as far as a call
    async *read(_, { file }) {
      throw new LogError(
        `${file} is a ${agent} session transcript: it holds no request bodies, only usage, which \`prefixtrace diagnose\` reads`,
      );
    },
  };
}
