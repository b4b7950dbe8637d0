/**
 * The variables by which programs let their base URL be set, and the address that each stands for.
 *
 * A variable that is set keeps its meaning: its value becomes the target. Where one of a group is set, the others stay
 * unset, as programs differ in which one they prefer. Left out: Amazon Bedrock (its signature covers the host, and the AWS
 * client speaks HTTP/2), and OLLAMA_HOST (it is also where `ollama serve` listens).
 */
import type { ProxyTarget } from '../../src/proxy/target.ts';
import { parseTarget } from '../../src/proxy/target.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface VariableGroup {
  /** Different programs' names for the same thing. */
  readonly names: readonly string[];
  /** What they go to when none is set; absent: nothing is done then. */
  readonly target?: string;
  /** Where one of these is set, the group's own must stay unset. */
  readonly unless?: readonly string[];
}

/** Looked up in the SDKs' own code: anthropic 1.15, openai 7.59, groq 1.6, genai 3.3, AI SDK 7; LiteLLM 1.98 for `_API_BASE`. */
const GROUPS: readonly VariableGroup[] = [
  { names: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_BASE'], target: 'https://api.anthropic.com' },
  {
    names: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
    target: 'https://api.openai.com/v1',
    // OpenAI's client for Azure refuses to start where it has both a base URL and an endpoint.
    unless: ['AZURE_OPENAI_ENDPOINT', 'AZURE_OPENAI_API_KEY'],
  },
  { names: ['GOOGLE_GEMINI_BASE_URL'], target: 'https://generativelanguage.googleapis.com' },
  { names: ['GROQ_BASE_URL'], target: 'https://api.groq.com' },
  { names: ['XAI_API_BASE'], target: 'https://api.x.ai/v1' },
  // Their defaults depend on a region or a resource, or differ from program to program.
  ...[
    ...[
      'ANTHROPIC_FOUNDRY_BASE_URL',
      'ANTHROPIC_VERTEX_BASE_URL',
      'AZURE_OPENAI_ENDPOINT',
      'GOOGLE_VERTEX_BASE_URL',
    ],
    ...['DEEPSEEK_API_BASE', 'GEMINI_API_BASE', 'MISTRAL_API_BASE', 'OLLAMA_API_BASE'],
    ...['OPENROUTER_API_BASE', 'OPENROUTER_BASE_URL'],
  ].map((name) => ({ names: [name] })),
];

/** The AI SDK takes the version as part of ANTHROPIC_BASE_URL, where Anthropic's own clients add it. */
const WITHOUT_VERSION: ProxyTarget = {
  prefix: '/api.anthropic.com/messages',
  url: new URL('https://api.anthropic.com/v1/messages'),
};

export interface RedirectedBaseUrls {
  readonly targets: readonly ProxyTarget[];
  /** For the command's environment; needs the address of the proxy. */
  variables(proxyUrl: string): Record<string, string>;
}

export function redirectBaseUrls(environment: Environment): RedirectedBaseUrls {
  const addresses = new Map(GROUPS.flatMap((group) => addressesOf(group, environment)));
  const origins = new Map([...addresses.values()].map(({ origin }) => [origin, new URL(origin)]));
  return {
    targets: [...[...origins.values()].map((url) => ({ prefix: prefixOf(url), url })), WITHOUT_VERSION],
    variables: (proxyUrl) => ({
      ...Object.fromEntries(
        [...addresses].map(([name, url]) => [
          name,
          // With its own path, as programs look at the end of it: `/v1`.
          proxyUrl + prefixOf(url) + (url.pathname === '/' ? '' : url.pathname),
        ]),
      ),
      ...withoutForwardProxy(environment, new URL(proxyUrl).hostname),
    }),
  };
}

/** The forward proxy that a company may prescribe; ours does not go through it. */
export function forwardProxyOf(environment: Environment): string | undefined {
  return ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'].find((name) => environment[name]);
}

function addressesOf(
  { names, target, unless = [] }: VariableGroup,
  environment: Environment,
): [string, URL][] {
  const set = names.filter((name) => environment[name]);
  if (set.length === 0) {
    if (target === undefined || unless.some((name) => environment[name])) return [];
    return names.map((name) => [name, new URL(target)]);
  }
  return set.flatMap((name): [string, URL][] => {
    const url = parseTarget(environment[name] ?? '');
    // What cannot be read is left to the command, which will say so.
    return typeof url === 'string' ? [] : [[name, url]];
  });
}

function prefixOf({ protocol, host }: URL): string {
  return protocol === 'https:' ? `/${host}` : `/http/${host}`;
}

/** Clients must not look for our address by way of a forward proxy. */
function withoutForwardProxy(environment: Environment, host: string): Record<string, string> {
  const names = ['NO_PROXY', 'no_proxy'];
  const excepted = names.map((name) => environment[name]).find((value) => value);
  const value = excepted === undefined ? host : `${excepted},${host}`;
  const hasProxy =
    ['HTTP_PROXY', 'http_proxy'].some((name) => environment[name]) || forwardProxyOf(environment);
  return hasProxy ? Object.fromEntries(names.map((name) => [name, value])) : {};
}
