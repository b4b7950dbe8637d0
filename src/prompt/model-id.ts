/**
 * Model ids as the cache sees them. A Bedrock region prefix (`us.`, `eu.` …) names where the model runs, not which one:
 * the same model in another region is another cache, not another model.
 */

const REGION_PREFIX = /^(us-gov|us|eu|apac|jp|au|ca|sa|me|af|global)\.(?=[a-z])/;

export function splitRegion(model: string | null): { model: string | null; region: string | null } {
  if (model === null) return { model, region: null };
  const id = decodeModel(model);
  const match = REGION_PREFIX.exec(id);
  return match ? { model: id.slice(match[0].length), region: match[1] ?? null } : { model: id, region: null };
}

/** Models in URLs come percent-encoded, Bedrock's may be a whole ARN. */
function decodeModel(model: string): string {
  let id = model;
  try {
    id = decodeURIComponent(model);
  } catch {
    // A stray percent sign is part of the id.
  }
  return id.replace(/^arn:aws[^/]*\/(?=.)/, '').replace(/^models\//, '');
}
