// What an entry of the build loads at once: files and bytes.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

/**
 * The entry and all that it imports without being asked for more.
 *
 * @param {string} entry
 * @param {Set<string>} seen
 * @returns {Set<string>}
 */
function staticFiles(entry, seen = new Set()) {
  const file = resolve(entry);
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;]*?["'](\.[^"']+)["']/gm);
  for (const [, path = ''] of imports) staticFiles(join(dirname(file), path), seen);
  return seen;
}

/** @param {string} entry */
export function bundleSize(entry) {
  const files = [...staticFiles(entry)];
  return {
    files: files.length,
    bytes: files.reduce((total, file) => total + statSync(file).size, 0),
    gzipBytes: gzipSync(Buffer.concat(files.map((file) => readFileSync(file)))).length,
  };
}
