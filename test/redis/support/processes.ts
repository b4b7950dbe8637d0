/** Programs of these tests in processes of their own, asked one question at a time. */
import { type ChildProcess, fork } from 'node:child_process';

export interface AskedProcess<Task, Answer> {
  readonly pid: number;
  ask(task: Task): Promise<Answer>;
  /** All that it has printed. */
  output(): string;
  stop(): Promise<void>;
}

/** Resolves when the program has said that it is ready. Each task has one answer, in order. */
export async function startProcess<Task extends object, Answer>(
  file: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<AskedProcess<Task, Answer>> {
  const child = fork(file, words, {
    env: { ...process.env, ...environment },
    execArgv: [],
    serialization: 'advanced',
    silent: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text;
    });
  }
  await answered(child, () => output);
  return {
    pid: child.pid as number,
    async ask(task) {
      const answer = answered(child, () => output);
      child.send(task);
      return (await answer) as Answer;
    },
    output: () => output,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await ended;
    },
  };
}

function answered(child: ChildProcess, output: () => string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const hear = (answer: unknown) => {
      child.off('exit', fail);
      resolve(answer);
    };
    const fail = (code: number | null) => {
      child.off('message', hear);
      reject(new Error(`the process ended with ${code} instead of an answer: ${output()}`));
    };
    child.once('message', hear);
    child.once('exit', fail);
  });
}
