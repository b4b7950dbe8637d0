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
  // What the main entry imports is one file: a dozen would cost each application that starts a dozen times half a millisecond.
  outputOptions: {
    codeSplitting: {
      groups: [
        { name: 'package', test: /package\.json$/, priority: 1 },
        { name: 'core', test: /\/src\/(runtime|setup\/[^/.]+)\.ts$/ },
      ],
    },
  },
});
