/**
 * Whether the server answers in time, and who is told when it does not: a metric counts each step, one log line says that
 * local heads have taken over. After a failure nothing is asked for a while, then one question tries again.
 */
import type { Counter, MeterProvider } from '@opentelemetry/api';
import { globalMeterProvider, warn } from '../opentelemetry.ts';
import * as semconv from '../telemetry/semconv.ts';
import { VERSION } from '../version.ts';

type Step = 'read' | 'commit';
/** `late`: over the deadline; `skipped`: not tried, as the server is known to be out of reach; `foreign`: not our bytes. */
type StepResult = 'ok' | 'late' | 'failed' | 'skipped' | 'foreign';

export interface Health {
  readonly isReachable: boolean;
  /** Runs a step under the deadline. `undefined`: it did not succeed, and who has to know knows. */
  run<Value>(step: Step, work: () => Promise<Value>): Promise<Value | undefined>;
  count(step: Step, result: StepResult): void;
}

export interface HealthOptions {
  readonly deadlineMs: number;
  readonly meterProvider: MeterProvider | undefined;
  readonly isReady: () => boolean;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const MINUTE_MS = 60_000;
/** Steps that wait for the server at once: a slow one must not fill the memory. */
const MOST_RUNNING = 256;

class Late extends Error {
  override name = 'Late';
}

export function createHealth({ deadlineMs, meterProvider, isReady }: HealthOptions): Health {
  const count = countsOf(meterProvider);
  let running = 0;
  let pauseMs = 0;
  let pausedUntilMs = 0;
  let isDown = false;
  let toldAtMs = Number.NEGATIVE_INFINITY;

  const isReachable = (): boolean =>
    isReady() && running < MOST_RUNNING && performance.now() >= pausedUntilMs;

  /** One line an outage, and no more than one a minute where the server comes and goes. */
  const tell = (error: unknown): void => {
    if (isDown) return;
    isDown = true;
    if (performance.now() - toldAtMs < MINUTE_MS) return;
    toldAtMs = performance.now();
    const reason = error instanceof Error ? error.message.slice(0, 200) : '';
    warn('prefixtrace: shared heads are out of reach, local heads are used until they are back', reason);
  };

  const fail = (step: Step, error: unknown): void => {
    pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, pauseMs * 2), LONGEST_PAUSE_MS);
    pausedUntilMs = performance.now() + pauseMs;
    count(step, error instanceof Late ? 'late' : 'failed');
    tell(error);
  };

  return {
    count,
    get isReachable() {
      return isReachable();
    },
    async run(step, work) {
      if (!isReachable()) {
        count(step, 'skipped');
        if (!isReady()) tell(NOT_READY);
        return undefined;
      }
      running += 1;
      try {
        const value = await inTime(work, deadlineMs);
        pauseMs = 0;
        isDown = false;
        count(step, 'ok');
        return value;
      } catch (error) {
        fail(step, error);
        return undefined;
      } finally {
        running -= 1;
      }
    },
  };
}

const NOT_READY = new Error('not connected');

/** An answer after the deadline is dropped, and so is its failure. */
async function inTime<Value>(work: () => Promise<Value>, deadlineMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    // Where it was the host that kept the event loop busy the answer is there already: it is read before this runs.
    const giveUp = () => setImmediate(() => reject(new Late(`no answer within ${deadlineMs} ms`)));
    timer = setTimeout(giveUp, deadlineMs);
    timer.unref();
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The metrics API has no proxy: a provider that is registered later is found at the next step. */
function countsOf(given: MeterProvider | undefined): Health['count'] {
  let latest: MeterProvider | undefined;
  let counter: Counter | undefined;
  return (step, result) => {
    const provider = given ?? globalMeterProvider();
    if (provider !== latest) {
      latest = provider;
      counter = provider
        ?.getMeter(semconv.INSTRUMENTATION_NAME, VERSION, { schemaUrl: semconv.SCHEMA_URL })
        .createCounter(semconv.METRIC_SHARED_HEADS, {
          unit: '{step}',
          description: 'Questions to and commits of shared heads, by how they ended.',
        });
    }
    counter?.add(1, { [semconv.ATTR_SHARED_STEP]: step, [semconv.ATTR_SHARED_RESULT]: result });
  };
}
