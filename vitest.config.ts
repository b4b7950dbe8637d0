import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 30_000,
    // Two processes is what a small CI machine has; more only adds noise to the tests that measure time.
    maxWorkers: 2,
  },
});
