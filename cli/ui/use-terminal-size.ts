import { useStdout } from 'ink';
import { useEffect, useState } from 'react';
import type { Size } from './frame.ts';

/** The terminal's size, followed. */
export function useTerminalSize(): Size {
  const { stdout } = useStdout();
  const [size, setSize] = useState(() => sizeOf(stdout));
  useEffect(() => {
    const follow = () => setSize(sizeOf(stdout));
    stdout.on('resize', follow);
    return () => {
      stdout.off('resize', follow);
    };
  }, [stdout]);
  return size;
}

/** A terminal that does not tell its size (0 × 0 under some remote shells) is taken for the classic one. */
function sizeOf(stdout: NodeJS.WriteStream): Size {
  return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
}
