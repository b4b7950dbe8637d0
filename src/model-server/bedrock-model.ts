/** Bedrock's names for models: `us.anthropic.claude-opus-4-7-v1:0`, or the ARN of a profile that ends in one. */

/** The name that Anthropic uses, which the rules of the cache are kept by. A model of another vendor keeps its id. */
export function anthropicModelOf(modelId: string): string {
  return /claude-[a-z0-9-]*?(?=-v\d|$|[:/])/.exec(modelId)?.[0] ?? modelId;
}
