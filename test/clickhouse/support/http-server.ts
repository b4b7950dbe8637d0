/** The real engine behind the HTTP interface of a server, as far as the real client uses it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Engine } from './engine.ts';

export interface HttpEngine {
  /** For `--source`. */
  readonly address: string;
  close(): void;
}

export async function serveOverHttp(engine: Engine): Promise<HttpEngine> {
  const server = createServer(async (request, response) => {
    let sql = '';
    for await (const chunk of request) sql += chunk;
    try {
      for (const [name, value] of new URL(request.url ?? '', 'http://x').searchParams)
        if (name.startsWith('param_'))
          engine.command(`SET ${name} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`);
      response.end(engine.text(sql));
    } catch (error) {
      response.writeHead(500, { 'x-clickhouse-exception-code': '1' });
      response.end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `clickhouse://127.0.0.1:${(server.address() as AddressInfo).port}/default`,
    close: () => server.close(),
  };
}
