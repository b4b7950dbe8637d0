/** What a collector would be: takes OTLP over HTTP (protobuf, JSON) and gRPC on loopback, and keeps what came. */
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { type StoredSpan, spansOfTracesData } from '../../src/store/otlp-json.ts';
import { type Decoded, decode, METRICS, TRACES } from './otlp-protobuf.ts';

interface ReceivedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
  readonly attributes: Record<string, unknown>;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly grpcUrl: string;
  /** Path and content type of each request. */
  readonly requests: { path: string; contentType: string }[];
  readonly spans: StoredSpan[];
  readonly points: ReceivedPoint[];
  /** The trace requests in the shape of OTLP JSON, as a collector's file exporter would write them. */
  readonly tracesData: Decoded[];
  clear(): void;
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received = {
    requests: [] as OtlpReceiver['requests'],
    spans: [] as StoredSpan[],
    points: [] as ReceivedPoint[],
    tracesData: [] as Decoded[],
  };
  const take = (path: string, contentType: string, body: Buffer): void => {
    received.requests.push({ path, contentType });
    const isJson = contentType.includes('json');
    const read = (message: typeof TRACES): Decoded =>
      isJson ? (JSON.parse(body.toString('utf8')) as Decoded) : decode(body, message);
    if (/traces|TraceService/.test(path)) {
      const tracesData = read(TRACES);
      received.tracesData.push(tracesData);
      received.spans.push(...spansOfTracesData(tracesData));
    } else if (/metrics|MetricsService/.test(path)) {
      received.points.push(...pointsOf(read(METRICS)));
    }
  };

  const http = createServer(async (request, response) => {
    take(request.url ?? '', request.headers['content-type'] ?? '', await bytesOf(request));
    response.setHeader('content-type', request.headers['content-type'] ?? '');
    response.end(request.headers['content-type']?.includes('json') ? '{}' : '');
  });
  const grpc = createHttp2Server();
  grpc.on('stream', async (stream, headers) => {
    const framed = await bytesOf(stream);
    take(String(headers[':path']), 'application/grpc', framed.subarray(5));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.alloc(5)); // an empty message in its frame
  });
  await Promise.all(
    [http, grpc].map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))),
  );
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
  return {
    ...received,
    url: `http://127.0.0.1:${portOf(http)}`,
    grpcUrl: `http://127.0.0.1:${portOf(grpc)}`,
    clear() {
      for (const list of Object.values(received)) list.length = 0;
    },
    async close() {
      http.closeAllConnections();
      http.close();
      grpc.close();
    },
  };
}

async function bytesOf(source: IncomingMessage | ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Sums alone. Attributes come out through the same reader as those of spans. */
function pointsOf(metricsData: Decoded): ReceivedPoint[] {
  const list = (value: unknown) => (value ?? []) as Decoded[];
  return list(metricsData.resourceMetrics)
    .flatMap(({ scopeMetrics }) => list(scopeMetrics))
    .flatMap(({ metrics }) => list(metrics))
    .flatMap(({ name, unit, sum }) =>
      list((sum as Decoded | undefined)?.dataPoints).map(({ asInt, asDouble, attributes }) => ({
        metric: String(name),
        unit: String(unit ?? ''),
        value: Number(asInt ?? asDouble ?? 0),
        attributes: attributesOf(attributes),
      })),
    );
}

function attributesOf(attributes: unknown): Record<string, unknown> {
  const spans = [{ traceId: 'a', spanId: 'b', attributes }];
  return spansOfTracesData({ resourceSpans: [{ scopeSpans: [{ spans }] }] })[0]?.attributes ?? {};
}
