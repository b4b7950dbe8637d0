import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 30_000,
    // The tests of memory collect garbage before they measure.
    execArgv: ['--expose-gc'],
    // Two processes is what a small CI machine has; more only adds noise to the tests that measure time.
    maxWorkers: 2,
  },
});
