import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    register: 'src/register.ts',
    'testing/index': 'src/testing/index.ts',
    'redis/index': 'src/redis/index.ts',
    'model-server/index': 'src/model-server/index.ts',
    'cli/main': 'cli/main.ts',
    'tokens-worker': 'src/tokens/worker.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: true,
  sourcemap: true,
  fixedExtension: false,
  clean: true,
  // What an application imports when it starts is one file without comments: each further one costs a millisecond or more, and
  // the search for a package five. Comments stay in the source maps and the types.
  deps: { alwaysBundle: ['eventsource-parser'] },
  inputOptions: {
    preserveEntrySignatures: 'allow-extension',
    optimization: { inlineConst: { mode: 'all', pass: 3 } },
  },
  outputOptions: {
    comments: false,
    codeSplitting: { groups: [{ name: 'core', test: /\/src\/(index|runtime|setup\/[^/.]+)\.ts$/ }] },
  },
});
