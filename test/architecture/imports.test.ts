import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

interface Import {
  readonly from: string;
  /** A file of the project, or the name of a package. */
  readonly to: string;
  readonly isTypeOnly: boolean;
  readonly isDynamic: boolean;
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.ESNext,
    true,
  );
  const found: Import[] = [];
  const add = (target: ts.Node | undefined, isTypeOnly: boolean, isDynamic: boolean) => {
    if (!target || !ts.isStringLiteral(target)) return;
    const { text } = target;
    const to = text.startsWith('.') ? relative(root, resolve(root, dirname(file), text)) : text;
    found.push({ from: file, to, isTypeOnly, isDynamic });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.isTypeOnly === true, false);
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly, false);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false, true);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const imports = [...filesIn('src'), ...filesIn('cli')].flatMap(importsOf);

function offenders(test: (edge: Import) => boolean): string[] {
  return imports.filter(test).map(({ from, to }) => `${from} imports ${to}`);
}

function isIn(path: string, ...folders: string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

const PURE = ['prompt', 'fingerprint', 'lineage', 'divergence', 'cache', 'tokens', 'cost'].map(
  (name) => `src/${name}`,
);
const PURE_FILES = [
  'src/exchange.ts',
  'src/diagnosis.ts',
  'src/engine.ts',
  'src/describe.ts',
  'src/expected.ts',
  'src/diagnose.ts',
];

describe('imports point one way', () => {
  it('finds the imports that it judges', () => {
    expect(imports.length).toBeGreaterThan(300);
    expect(imports.some(({ from, to }) => from === 'src/diagnose.ts' && to === 'src/lineage/choose.ts')).toBe(
      true,
    );
  });

  it('keeps the engine pure: no I/O, no clock, no OpenTelemetry, nothing outside the engine', () => {
    const allowed = [
      ...PURE,
      ...PURE_FILES,
      'src/provider-verdict.ts',
      // Pure, but for a digest of a user's id.
      'src/suggested-scope.ts',
      'xxhash-wasm',
      'js-tiktoken',
    ];
    const mayStartThread = ({ from, to }: Import) => isIn(from, 'src/tokens') && to === 'node:worker_threads';
    const leaks = (edge: Import) =>
      isIn(edge.from, ...PURE, ...PURE_FILES) && !isIn(edge.to, ...allowed) && !mayStartThread(edge);
    expect(offenders(leaks)).toEqual([]);
  });

  it('keeps the reading of spans pure, for importers and the live processor alike', () => {
    const allowed = [...['src/spans', 'src/json-value.ts', 'src/exchange.ts', 'src/prompt']];
    expect(offenders(({ from, to }) => isIn(from, 'src/spans') && !isIn(to, ...allowed))).toEqual([]);
  });

  it('lets set-up use everything, and nothing but the entries use set-up', () => {
    const entries = ['src/index.ts', 'src/register.ts', 'src/setup'];
    const usesSetUp = ({ from, to }: Import) =>
      isIn(from, 'src') && isIn(to, 'src/setup') && !isIn(from, ...entries);
    expect(offenders(usesSetUp)).toEqual([]);
  });

  it("loads OpenTelemetry's NodeSDK by no import, as it takes a third of a second", () => {
    const loads = ({ to, isTypeOnly }: Import) => to === '@opentelemetry/sdk-node' && !isTypeOnly;
    expect(offenders(loads)).toEqual([]);
    expect(imports.some(({ from, to }) => isIn(from, 'src/setup') && to === '@opentelemetry/sdk-node')).toBe(
      true,
    );
  });

  it('keeps hooks, telemetry, store and importers apart from each other', () => {
    const rooms = ['src/observe', 'src/telemetry', 'src/store', 'src/logs', 'src/model-server'];
    const isComposition = ({ from, to, isDynamic }: Import) =>
      isDynamic && isIn(from, 'src/telemetry') && isIn(to, 'src/store');
    const crosses = (edge: Import) => {
      const home = rooms.find((room) => isIn(edge.from, room));
      const away = rooms.find((room) => isIn(edge.to, room));
      return (
        home !== undefined && away !== undefined && home !== away && !edge.isTypeOnly && !isComposition(edge)
      );
    };
    expect(offenders(crosses)).toEqual([]);
  });

  it('keeps heads in Redis to the interface of heads and names: an entry of its own that nobody loads unasked', () => {
    const allowed = [
      ...['src/redis', 'src/lineage/shared/head-store.ts', 'src/guard.ts', 'src/opentelemetry.ts'],
      ...['src/telemetry/semconv.ts', 'src/version.ts', 'node:crypto', 'node:zlib'],
    ];
    const leaks = ({ from, to, isTypeOnly }: Import) =>
      isIn(from, 'src/redis') && !isIn(to, ...allowed) && !(isTypeOnly && to === '@opentelemetry/api');
    expect(offenders(leaks)).toEqual([]);
    expect(offenders(({ from, to }) => isIn(to, 'src/redis') && !isIn(from, 'src/redis'))).toEqual([]);
    expect(imports.filter(({ from }) => isIn(from, 'src/redis')).length).toBeGreaterThan(10);
  });

  it('lets the model server share nothing with what it is the oracle of', () => {
    expect(
      offenders(
        ({ from, to }) => isIn(from, 'src/model-server') && isIn(to, 'src') && !isIn(to, 'src/model-server'),
      ),
    ).toEqual([]);
  });

  it('never imports the command line from the library', () => {
    expect(offenders(({ from, to }) => isIn(from, 'src') && isIn(to, 'cli'))).toEqual([]);
  });

  it('imports React and Ink under cli/ui alone, and reaches it only by a dynamic import', () => {
    const isScreen = (name: string) => /^(react|ink)(\/|$)/.test(name);
    expect(offenders(({ from, to }) => isScreen(to) && !isIn(from, 'cli/ui'))).toEqual([]);
    const entersEagerly = ({ from, to, isDynamic, isTypeOnly }: Import) =>
      isIn(to, 'cli/ui') && !isIn(from, 'cli/ui') && !isDynamic && !isTypeOnly;
    expect(offenders(entersEagerly)).toEqual([]);
  });

  it('never imports a provider SDK at run time', () => {
    expect(
      offenders(({ to, isTypeOnly }) => /^(@anthropic-ai|openai|@google|@aws-sdk)/.test(to) && !isTypeOnly),
    ).toEqual([]);
  });
});
