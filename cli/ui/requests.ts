/** What a key asked for outside the screen: the clipboard, a file. The answer is what the person is told. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileProblem } from '../errors.ts';
import { countOf } from '../terminal/format.ts';
import type { Request } from './state.ts';
import type { ViewMarkdown } from './view-markdown.ts';

export type PerformRequest = (what: Request['what'], markdown: ViewMarkdown) => Promise<string>;

const OWNER_ONLY = 0o600;

export function performRequests(stdout: NodeJS.WriteStream, workingDirectory: string): PerformRequest {
  return (what, markdown) =>
    what === 'copy' ? copied(markdown, stdout) : exported(markdown, workingDirectory);
}

/**
 * By the terminal itself (OSC 52), which works across SSH and in a container where no clipboard program would. There is
 * no answer to it, so what is told stays honest.
 */
async function copied({ text }: ViewMarkdown, stdout: NodeJS.WriteStream): Promise<string> {
  stdout.write(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`);
  return `${countOf(text.length, 'character')} sent to the clipboard. Nothing there? Not all terminals allow it: e writes a file.`;
}

async function exported({ name, text }: ViewMarkdown, workingDirectory: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const file = `prefixtrace-${name}${number === 1 ? '' : `-${number}`}.md`;
    try {
      await writeFile(resolve(workingDirectory, file), text, { flag: 'wx', mode: OWNER_ONLY });
      return `Written to ${file}.`;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue; // Node's file errors have a code
      return `Cannot write ${file}: ${fileProblem(error)}.`;
    }
  }
}
