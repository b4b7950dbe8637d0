/** The only way into Ink and React, which take longer to load than all else: the first frame stands before they are there. */
import { render } from 'ink';
import type { Painter } from './painter.ts';
import { Viewer, type ViewerProps } from './viewer.tsx';

/** Resolves when the person leaves. */
export async function renderViewer(props: ViewerProps, painter: Painter): Promise<void> {
  const { waitUntilExit } = render(<Viewer {...props} />, {
    // It is written to as Ink writes, but it is no stream.
    stdout: painter as unknown as NodeJS.WriteStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  await waitUntilExit();
}
