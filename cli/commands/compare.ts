/** `prefixtrace compare A B`: two arms of recorded runs, and whether a difference between them is shown. */
import { type CommandContext, columnsOf, type ExitCode, isColored } from '../command-context.ts';
import { compareJson } from '../compare/compare-json.ts';
import { compareText } from '../compare/compare-text.ts';
import { compareArms } from '../compare/comparison.ts';
import { readArm } from '../compare/read-arm.ts';
import { UserError } from '../errors.ts';
import { STANDARD_INPUT } from '../sources/input-file.ts';
import { createStyle } from '../terminal/style.ts';
import { plainData } from '../terminal/terminal-text.ts';

export async function runCompare(
  a: string,
  b: string,
  options: { readonly json?: boolean | undefined },
  context: CommandContext,
): Promise<ExitCode> {
  if (a === STANDARD_INPUT && b === STANDARD_INPUT)
    throw new UserError('standard input can be one of the two arms, not both');
  const comparison = compareArms(await readArm(a, context), await readArm(b, context));
  if (options.json) context.stdout.write(compareJson(comparison));
  else {
    const style = createStyle(isColored(context.stdout, context.env));
    context.stdout.write(compareText(plainData(comparison), { style, columns: columnsOf(context) }));
  }
  return 0;
}
