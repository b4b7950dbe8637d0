/** Node's `crypto`, loaded when it is first used: an import would cost every application 4 ms at its start. */
export function nodeCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto');
}
