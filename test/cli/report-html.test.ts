import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printReport, type ReportOptions } from '../../cli/commands/report.ts';
import type { CallSource } from '../../cli/sources/call-source.ts';
import { createSourceNotes } from '../../cli/sources/notes.ts';
import type { ReportedCall } from '../../cli/summary/reported-call.ts';
import { browserNote, findBrowser, startBrowser } from '../support/browser.ts';
import { divergence, reportedCall, weddingCalls } from '../support/reported-calls.ts';
import { capturedContext } from './captured-context.ts';

async function pageOf(
  calls: readonly ReportedCall[],
  options: ReportOptions = {},
  source: Partial<CallSource> = {},
): Promise<string> {
  const context = capturedContext();
  await printReport(
    {
      name: 'calls.jsonl',
      canFollow: false,
      notes: createSourceNotes(),
      async *read() {
        yield calls;
      },
      ...source,
    },
    'html',
    context,
    options,
  );
  return context.out();
}

/** A call that went wrong and whose source held the text. */
function callWithExcerpt(): ReportedCall {
  return reportedCall({
    index: 1,
    finding: true,
    divergence: divergence({ kind: 'system.timestamp', path: 'system[0]' }),
    excerpt: { before: 'Today is Monday, 10:00', after: 'Today is Monday, 10:05' },
  });
}

describe('the page', () => {
  it('says what the text report says: the cost, what to fix first, each loss, the window, what was not seen', async () => {
    // Long names may break between their words.
    const page = (await pageOf(weddingCalls())).replaceAll('<wbr>', '');
    for (const words of [
      '≥ $0.42',
      'could be $0.21',
      'a clock in the system prompt',
      '$0.14 of $0.20 avoidable',
      '40 min idle',
      'tools.reordered',
      'tools_changed, about 18,900 tokens · agrees',
      'Context window',
      'compacted',
      '1 call without usage',
    ])
      expect(page).toContain(words);
  });

  it('says plainly that there is no finding and that nothing was left out', async () => {
    const page = await pageOf([reportedCall({ index: 0 })]);
    expect(page).toContain('No finding: no change to a prompt cost anything.');
    expect(page).toContain('Nothing was left out');
    expect(page).not.toContain('Fix first');
  });

  it('does not call a log safe whose losses nothing explains', async () => {
    const page = await pageOf([reportedCall({ index: 0, finding: true })]);
    expect(page).toContain('some losses have no known cause');
    expect(page).not.toContain('no change to a prompt cost anything');
  });

  it('is a page also where there is no call', async () => {
    expect(await pageOf([])).toContain('No call was read.');
  });

  it('shows text of the prompts only where it was asked for', async () => {
    expect(await pageOf([callWithExcerpt()])).not.toContain('Monday');
    const page = await pageOf([callWithExcerpt()], { excerpts: true });
    expect(page).toContain('Today is Monday, 10:0<del>0</del>');
    expect(page).toContain('Today is Monday, 10:0<ins>5</ins>');
  });

  it('stays a few megabytes for 100,000 calls, and says how many rows it left out', async () => {
    const calls = Array.from({ length: 100_000 }, (_, index) => {
      const lineage = index % 10;
      const turn = Math.floor(index / 10);
      return reportedCall({
        index,
        lineage: `l${lineage}`,
        baseline: turn === 0 ? null : index - 10,
        ...(turn % 7 === 3 && {
          finding: true,
          divergence: divergence({ kind: 'system.timestamp', path: 'system[0]' }),
        }),
      });
    });
    const page = await pageOf(calls);
    expect(page.length).toBeLessThan(3_000_000);
    const leftOut = [...page.matchAll(/… ([\d,]+) more</g)].map(([, count = '']) =>
      Number(count.replaceAll(',', '')),
    );
    expect(leftOut.reduce((sum, count) => sum + count, 0)).toBe(10 * 9_900);
  }, 60_000);

  it('stays small for 20,000 lineages', async () => {
    const calls = Array.from({ length: 20_000 }, (_, index) =>
      reportedCall({
        index,
        lineage: `l${index}`,
        baseline: null,
        finding: true,
        scope: { thread: `thread-${index}`, phase: `phase-${index}`, delegation: null },
        divergence: divergence({ kind: 'system.timestamp', path: 'system[0]' }),
      }),
    );
    const page = await pageOf(calls);
    expect(page.length).toBeLessThan(1_000_000);
    expect(page).toContain('… 19,800 more lineages');
  }, 60_000);

  it('is made of templates whose values stand in text and in quoted attributes, where escaping holds', async () => {
    const folder = new URL('../../cli/report/html/', import.meta.url);
    const texts = await Promise.all(
      (await readdir(folder)).map((name) => readFile(new URL(name, folder), 'utf8')),
    );
    const templates = texts.join('\n');
    expect(templates).toMatch(/="\$\{/);
    expect(templates).not.toMatch(/[\w-]=\$\{|[\w-]='\$\{/);
    expect(templates.match(/\s(?:href|src|style|on\w+)="\$\{/g)).toBeNull();
    expect(templates.match(/trusted\(/g)).toHaveLength(2); // its definition, and the style sheet
  });
});

const RUNNING = [
  '<script>window.ran = "script"; alert(1)</script>',
  '"><img src="http://127.0.0.1:9/planted.png" onerror="window.ran = \'image\'">',
  "'><svg onload=\"window.ran = 'svg'\"><animate onbegin=\"window.ran = 'animate'\"/></svg>",
  '</style><style>@import "http://127.0.0.1:9/planted.css"; body { display: none }</style>',
  '</title></textarea><iframe srcdoc="<script>parent.ran = \'frame\'</script>"></iframe>',
  '" autofocus onfocus="window.ran = \'focus\'" x="',
  'javascript:window.ran="link"',
  '<a href="javascript:window.ran = \'link\'" id="content">go</a>',
  '<details open ontoggle="window.ran = \'toggle\'">&lt;script&gt;',
  '--><![CDATA[<script>window.ran = "cdata"</script>',
  '`;window.ran = "template";`',
].join(' ');

/** A page's policy does not forbid it to send its reader elsewhere: only escaping does. */
const LEAVING =
  '<base href="http://127.0.0.1:9/"><meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">';

const PAYLOADS = `${LEAVING} ${RUNNING}`;

/** The same data with the payloads in each text, names of fields excepted: those are ours. */
function planted<T>(value: T): T {
  const plant = (part: unknown): unknown => {
    if (typeof part === 'string') return PAYLOADS;
    if (Array.isArray(part)) return part.map(plant);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, plant(inner)]));
  };
  return plant(value) as T; // only strings are replaced, by strings
}

function hostileCalls(): ReportedCall[] {
  return [...weddingCalls(), { ...callWithExcerpt(), index: 8 }].map((call) => ({
    ...planted(call),
    id: call.id,
    // Times that are none are drawn as unknown; the rest of the page wants some.
    at: call.at,
  }));
}

function hostilePage(): Promise<string> {
  const notes = createSourceNotes();
  notes.unreadable.add({ source: PAYLOADS, reason: PAYLOADS });
  notes.skippedLines.add({ source: PAYLOADS, reason: PAYLOADS });
  return pageOf(hostileCalls(), { excerpts: true }, { name: PAYLOADS, notes });
}

function withoutPolicy(markup: string): string {
  return markup.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '');
}

const executable = findBrowser();

describe.skipIf(executable === null)(
  `the page in a browser${browserNote(executable)}`,
  { timeout: 30_000 },
  () => {
    let browser: Browser;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'prefixtrace-page-'));
      browser = await startBrowser(executable ?? '');
    }, 60_000);

    afterAll(async () => {
      await browser?.close();
      await rm(folder, { recursive: true, force: true });
    });

    interface Visit {
      readonly page: Page;
      readonly requests: readonly string[];
      readonly dialogs: readonly string[];
      readonly complaints: readonly string[];
      readonly close: () => Promise<void>;
    }

    /** From disk and without a network, as a person opens it who was sent the file. */
    async function visit(markup: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Visit> {
      const path = join(folder, 'report.html');
      await writeFile(path, markup);
      const context = await browser.newContext({ offline: true, ...options });
      const page = await context.newPage();
      const requests: string[] = [];
      const dialogs: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        dialog.dismiss().catch(() => undefined);
      });
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(`file://${path}`);
      return { page, requests, dialogs, complaints, close: () => context.close() };
    }

    /** What a planted script would leave behind, after all has been opened and clicked that can be. */
    async function tracesOf({ page, requests, dialogs }: Visit) {
      await page.evaluate(() => {
        for (const part of document.querySelectorAll('details')) part.open = true;
        for (const part of document.querySelectorAll<HTMLElement>('a, summary')) part.click();
      });
      await page.waitForTimeout(200);
      const found = await page.evaluate(() => ({
        ran: (window as unknown as { ran?: string }).ran ?? null,
        elements: document.querySelectorAll('script, iframe, object, embed, img, link, base, form, animate')
          .length,
        handlers: [...document.querySelectorAll('*')].filter((element) =>
          [...element.attributes].some(({ name }) => /^on|^style$|^srcdoc$/.test(name)),
        ).length,
        links: [...document.querySelectorAll('a')]
          .map((link) => link.getAttribute('href') ?? '')
          .filter((href) => !href.startsWith('#')),
        sheets: document.styleSheets.length,
      }));
      return {
        ...found,
        dialogs: [...dialogs],
        requests: requests.filter((url) => !/^file:.*report\.html/.test(url)),
      };
    }

    const NO_TRACES = {
      ran: null,
      elements: 0,
      handlers: 0,
      links: [],
      sheets: 1,
      dialogs: [],
      requests: [],
    };

    it('runs nothing and asks for nothing, whatever stands in the data', async () => {
      const opened = await visit(await hostilePage());
      expect(await tracesOf(opened)).toEqual(NO_TRACES);
      expect(opened.complaints).toEqual([]);
      expect(await opened.page.textContent('body')).toContain('<script>window.ran');
      await opened.close();
    });

    it('is safe by its escaping alone, without its policy', async () => {
      const markup = await hostilePage();
      const bare = withoutPolicy(markup);
      expect(bare).not.toBe(markup);
      const opened = await visit(bare);
      expect(await tracesOf(opened)).toEqual(NO_TRACES);
      await opened.close();
    });

    it('is safe by its policy alone, should something slip through', async () => {
      let hits = 0;
      const server = createServer((_, response) => {
        hits += 1;
        response.end();
      });
      const url = await new Promise<string>((resolve) => {
        server.listen(0, '127.0.0.1', () =>
          resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
        );
      });
      const leak = `${RUNNING.replaceAll('http://127.0.0.1:9', url)}<link rel="stylesheet" href="${url}/x.css">`;
      const guarded = (await pageOf(weddingCalls())).replace('</main>', `${leak}</main>`);
      const opened = await visit(guarded, { offline: false });
      const { ran, dialogs } = await tracesOf(opened);
      expect({ ran, dialogs, hits }).toEqual({ ran: null, dialogs: [], hits: 0 });
      await opened.close();

      const unguarded = await visit(withoutPolicy(guarded), { offline: false });
      await tracesOf(unguarded);
      expect(hits).toBeGreaterThan(0);
      await unguarded.close();
      server.close();
    });

    it('would be caught if it ran something: the same text unescaped does', async () => {
      const opened = await visit(`<!doctype html><body>${RUNNING}`);
      await opened.page.waitForTimeout(200);
      expect(
        await opened.page.evaluate(() => (window as unknown as { ran?: string }).ran ?? null),
      ).not.toBeNull();
      expect(opened.dialogs).toEqual(['1']);
      await opened.close();
    });

    it('needs no network: its own file is all that it loads', async () => {
      const opened = await visit(await pageOf(weddingCalls()));
      expect(opened.requests).toHaveLength(1);
      expect(opened.complaints).toEqual([]);
      expect(await opened.page.evaluate(() => getComputedStyle(document.body).marginTop)).toBe('0px');
      await opened.close();
    });

    it('can be found one’s way in: landmarks, headings in order, headed tables, named pictures, live links', async () => {
      const opened = await visit(await pageOf(weddingCalls()));
      const outline = await opened.page.evaluate(() => {
        const count = (selector: string) => document.querySelectorAll(selector).length;
        const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
        return {
          language: document.documentElement.lang,
          landmarks: ['body > header', 'nav[aria-label]', 'main', 'body > footer', 'h1'].map(count),
          levels: [...document.querySelectorAll('h1, h2, h3')].map(({ tagName }) => Number(tagName[1])),
          tables: count('table'),
          unheadedTables: [...document.querySelectorAll('table')].filter(
            (table) => table.querySelector('thead th[scope=col]') === null,
          ).length,
          rowsWithoutHead: [...document.querySelectorAll('tbody tr')].filter(
            (row) => row.querySelector('th[scope], td[colspan]') === null,
          ).length,
          pictures: count('svg[role=img]'),
          namelessPictures: [...document.querySelectorAll('main svg')].filter(
            (picture) =>
              picture.closest('[aria-hidden=true]') === null &&
              !(picture.closest('[role=img]')?.getAttribute('aria-label') ?? '').trim(),
          ).length,
          repeatedIds: ids.length - new Set(ids).size,
          deadLinks: [...document.querySelectorAll('a')].filter(
            (link) => document.getElementById((link.getAttribute('href') ?? '').slice(1)) === null,
          ).length,
        };
      });
      expect(outline).toMatchObject({
        language: 'en',
        landmarks: [1, 1, 1, 1, 1],
        unheadedTables: 0,
        rowsWithoutHead: 0,
        namelessPictures: 0,
        repeatedIds: 0,
        deadLinks: 0,
      });
      expect(outline.tables).toBeGreaterThan(3);
      expect(outline.pictures).toBeGreaterThan(8);
      expect(outline.levels.filter((level, index) => level - (outline.levels[index - 1] ?? 0) > 1)).toEqual(
        [],
      );
      await opened.close();
    });

    it('is used by keyboard alone: the skip link comes first, and what is folded unfolds', async () => {
      const opened = await visit(await pageOf(weddingCalls()));
      const { page } = opened;
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe('#content');
      await page.keyboard.press('Enter');
      expect(await page.evaluate(() => location.hash)).toBe('#content');
      const folded = page.locator('details:not([open])').first();
      const id = await folded.getAttribute('id');
      await folded.locator('summary').focus();
      await page.keyboard.press('Enter');
      expect(await page.locator(`#${id}`).evaluate((part) => (part as HTMLDetailsElement).open)).toBe(true);
      await opened.close();
    });

    it.each(['light', 'dark'] as const)(
      'has text that stands out from its ground when it is %s',
      async (colorScheme) => {
        const opened = await visit(await pageOf(weddingCalls()), { colorScheme });
        const weak = await opened.page.evaluate(() => {
          const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
          const luminance = (color: string) => {
            const [r = 0, g = 0, b = 0] = channels(color)
              .slice(0, 3)
              .map((value) => value / 255)
              .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const ground = (element: Element | null): string => {
            if (element === null) return 'rgb(255, 255, 255)';
            const color = getComputedStyle(element).backgroundColor;
            return channels(color)[3] === 0 ? ground(element.parentElement) : color;
          };
          for (const part of document.querySelectorAll('details')) part.open = true;
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const found: string[] = [];
          let read = 0;
          for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
            const element = node.parentElement;
            if (element === null || (node.textContent ?? '').trim() === '') continue;
            read += 1;
            const style = getComputedStyle(element);
            const color = element.closest('svg') === null ? style.color : style.fill;
            const [high = 0, low = 0] = [luminance(color), luminance(ground(element))].sort((a, b) => b - a);
            if ((high + 0.05) / (low + 0.05) < 4.5) found.push(`${element.className} ${node.textContent}`);
          }
          return read > 100 ? found : ['too little text was read'];
        });
        expect(weak).toEqual([]);
        await opened.close();
      },
    );

    it.each([390, 768, 1280])('fits a window of %i pixels', async (width) => {
      const opened = await visit(await hostilePage(), { viewport: { width, height: 800 } });
      const excess = await opened.page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      expect(excess).toBeLessThanOrEqual(0);
      await opened.close();
    });

    it('prints what is folded as well', async () => {
      const opened = await visit(await pageOf(weddingCalls()));
      const heights = () =>
        opened.page.evaluate(() =>
          [...document.querySelectorAll<HTMLElement>('details:not([open]) .inside')].map((part) =>
            part.checkVisibility({ contentVisibilityAuto: true }),
          ),
        );
      // Content that is skipped while it is off the screen is known to be visible a frame later.
      await expect.poll(heights).toContain(false);
      await opened.page.emulateMedia({ media: 'print' });
      await expect.poll(heights).not.toContain(false);
      await opened.close();
    });
  },
);
