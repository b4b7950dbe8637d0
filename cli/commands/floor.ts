/** `prefixtrace floor FILE…`: what every call pays before its first message, and what of it could be left out. */
import { loadPrices } from '../../src/cost/prices.ts';
import { loadHasher } from '../../src/fingerprint/hash.ts';
import { createTokenCounter } from '../../src/tokens/counter.ts';
import { type CommandContext, columnsOf, type ExitCode, isColored } from '../command-context.ts';
import { floorJson } from '../floor/floor-json.ts';
import { floorPrice } from '../floor/floor-price.ts';
import { floorText, type PricedHead } from '../floor/floor-text.ts';
import { HeadAccount } from '../floor/head-account.ts';
import { measureHead } from '../floor/measured-head.ts';
import { diagnosedExchanges, inputFiles } from '../sources/diagnose-logs.ts';
import { createSourceNotes, printNotes } from '../sources/notes.ts';
import { createStyle } from '../terminal/style.ts';
import { plainData } from '../terminal/terminal-text.ts';

export async function runFloor(
  files: readonly string[],
  options: { readonly json?: boolean | undefined },
  context: CommandContext,
): Promise<ExitCode> {
  const notes = createSourceNotes();
  const hasher = await loadHasher();
  const account = new HeadAccount(hasher);
  for await (const exchange of diagnosedExchanges(inputFiles(files, context), notes)) account.add(exchange);
  printNotes(notes, (line) => context.stderr.write(`${line}\n`));
  const heads = await pricedHeads(account, hasher);
  if (options.json) context.stdout.write(floorJson(heads, notes));
  else if (heads.length === 0) context.stdout.write('No calls to measure.\n');
  else {
    const style = createStyle(isColored(context.stdout, context.env));
    context.stdout.write(floorText(plainData(heads), { style, columns: columnsOf(context) }));
  }
  return 0;
}

async function pricedHeads(
  account: HeadAccount,
  hasher: Parameters<typeof measureHead>[2],
): Promise<PricedHead[]> {
  const prices = await loadPrices();
  const counter = createTokenCounter();
  try {
    const heads: PricedHead[] = [];
    for (const seen of account.heads())
      heads.push({ ...(await measureHead(seen, counter, hasher)), price: floorPrice(seen, prices) });
    return heads;
  } finally {
    await counter.close();
  }
}
