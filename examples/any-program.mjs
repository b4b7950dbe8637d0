/** Observes a program in another language: `prefixtrace run -- COMMAND` puts a local proxy between it and the API. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startModelServer } from 'prefixtrace/model-server';

// Stands in for the API, so that this runs without a key. With yours the command alone is enough.
const server = await startModelServer();

const program = fileURLToPath(new URL('any_program.py', import.meta.url));
const command = spawn('npx', ['prefixtrace', 'run', '--', 'python3', program], {
  stdio: 'inherit',
  // A base URL that is set already becomes the target of the proxy.
  env: { ...process.env, ANTHROPIC_BASE_URL: server.url },
});
const [exitCode] = await once(command, 'exit');

await server.close();
process.exitCode = exitCode;
