import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    register: 'src/register.ts',
    'testing/index': 'src/testing/index.ts',
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
});
