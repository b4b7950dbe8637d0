/** What is on the screen as Markdown, for a ticket or a chat: a finding in words, any other screen as it stands. Pure. */
import { causeOf } from '../summary/classify.ts';
import { certaintyInWords, explain, scopeInWords } from '../summary/explain.ts';
import type { CallsByIndex, ReportedCall } from '../summary/reported-call.ts';
import { allLines, textOfLine } from './frame.ts';
import { screenContent } from './screen.ts';
import type { SourceInfo } from './source-info.ts';
import { byIndexOf, callById, topScreen, type ViewerState } from './state.ts';

const PAGE_COLUMNS = 100;
/** Of a timeline with a hundred thousand calls nobody wants all in a ticket. */
const MAX_LINES = 2_000;

export interface ViewMarkdown {
  /** Fit for a file's name. */
  readonly name: string;
  readonly text: string;
}

export function viewMarkdown(state: ViewerState, source: SourceInfo): ViewMarkdown {
  const screen = topScreen(state);
  const call = screen.name === 'divergence' ? callById(state, screen.callId) : undefined;
  return { name: screen.name, text: call ? findingMarkdown(call, byIndexOf(state)) : picture(state, source) };
}

function findingMarkdown(call: ReportedCall, byIndex: CallsByIndex): string {
  const facts = explain(call, byIndex).map(
    ({ name, text }) => `- **${name}** ${code(name) ? inline(text) : plain(text)}`,
  );
  const about = [
    scopeInWords(call),
    `call ${call.turn}`,
    call.model,
    call.at,
    call.source,
    certaintyInWords(call),
  ];
  return `### ${causeOf(call) ?? 'no finding'}\n\n${about
    .filter((part) => part !== null)
    .map((part) => plain(part))
    .join(' · ')}\n\n${facts.join('\n')}\n`;
}

function code(name: string): boolean {
  return name === 'at' || name === 'before' || name === 'after';
}

function inline(text: string): string {
  return `\`${text.replaceAll('`', 'ʼ')}\``;
}

/** Recorded names must not become markup. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>|#]/g, '\\$&');
}

function picture(state: ViewerState, source: SourceInfo): string {
  const content = screenContent(state, source, { columns: PAGE_COLUMNS, rows: MAX_LINES });
  const lines = allLines(content.body).map(textOfLine);
  const shown = lines.slice(0, MAX_LINES);
  if (lines.length > shown.length) shown.push(`… ${lines.length - shown.length} more`);
  const title = `${textOfLine(content.title)} · ${textOfLine(content.status)}`;
  // A fence longer than any run of backticks inside it cannot be closed from within.
  return `${plain(title)}\n\n~~~~\n${shown.join('\n').replaceAll('~~~~', '~~~')}\n~~~~\n`;
}
