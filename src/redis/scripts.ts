/**
 * What runs inside the server, so that a question or a commit is one round trip and happens at once or not at all. All keys
 * of a pool carry one hash tag: in a cluster they lie on one node.
 *
 * `PREFIX{pool}s:SCOPE` is a hash of the heads of a scope, by id. `PREFIX{pool}c:NAME` is a chunk, `PREFIX{pool}n:NAME` leads from
 * a response to its head, `PREFIX{pool}z` holds the newest heads of the pool in the order of their commits.
 *
 * A head's value is: version, flags, opening, order of its commit, number of chunks, their names, and what is sealed. The order
 * is the server's time, since the clocks of two instances differ.
 *
 * What all keys start with is read off a key: a client may have put something in front.
 */

export const NAME_BYTES = 12;

const FORMAT = `
local VERSION, FLAGS, OPENING, ORDER, COUNT = 1, 2, 3, 15, 23
local function chunks(value)
  local names = {}
  for i = 0, string.byte(value, COUNT) * 256 + string.byte(value, COUNT + 1) - 1 do
    names[#names + 1] = string.sub(value, COUNT + 2 + i * 12, COUNT + 13 + i * 12)
  end
  return names
end
local function isOurs(value)
  if type(value) ~= 'string' or #value < COUNT + 1 or string.byte(value, VERSION) ~= 1 then return false end
  return #value >= COUNT + 1 + 12 * (string.byte(value, COUNT) * 256 + string.byte(value, COUNT + 1))
end
local function order(value) return string.sub(value, ORDER, ORDER + 7) end
local start = string.sub(KEYS[2], 1, -2)
`;

/**
 * KEYS: the scope's heads, the pool's newest. ARGV: opening, most heads, `scope` or `pool`, name or '', names of chunks that are
 * known. Returns: id of the named head or '', ids and values of heads, names and values of chunks.
 */
export const ASK = `${FORMAT}
local opening, most = ARGV[1], tonumber(ARGV[2])
local found, seen, named = {}, {}, ''
local function take(id, value)
  if isOurs(value) and not seen[id] then
    seen[id] = true
    found[#found + 1] = { id, value, string.sub(value, OPENING, OPENING + 11) == opening }
  end
end
if ARGV[3] == 'scope' then
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do take(all[i], all[i + 1]) end
else
  for _, member in ipairs(redis.call('ZREVRANGE', KEYS[2], 0, most - 1)) do
    local scope, id = string.sub(member, 1, 12), string.sub(member, 13)
    take(id, redis.call('HGET', start .. 's:' .. scope, id))
  end
end
table.sort(found, function(a, b)
  if a[3] ~= b[3] then return a[3] end
  return order(a[2]) > order(b[2])
end)
while #found > most do found[#found] = nil end
if ARGV[4] ~= '' then
  local member = redis.call('GET', start .. 'n:' .. ARGV[4])
  if member then
    local id = string.sub(member, 13)
    take(id, redis.call('HGET', start .. 's:' .. string.sub(member, 1, 12), id))
    if seen[id] then named = id end
  end
end
local isKnown = {}
for i = 5, #ARGV do isKnown[ARGV[i]] = true end
table.sort(found, function(a, b) return order(a[2]) < order(b[2]) end)
local heads, parts = {}, {}
for _, head in ipairs(found) do
  heads[#heads + 1] = head[1]
  heads[#heads + 1] = head[2]
  for _, name in ipairs(chunks(head[2])) do
    if not isKnown[name] then
      isKnown[name] = true
      local bytes = redis.call('GET', start .. 'c:' .. name)
      if bytes then
        parts[#parts + 1] = name
        parts[#parts + 1] = bytes
      end
    end
  end
end
return { named, heads, parts }
`;

/**
 * KEYS: the scope's heads, the pool's newest. ARGV: scope, id, value without its order, milliseconds to live, most heads of a
 * scope, most of the pool, id that is replaced or '', id that was summarised or '', name or '', then names and values of the
 * chunks that are sent along. Returns the names of chunks that are missing: then nothing was kept, and the caller sends them.
 */
export const COMMIT = `${FORMAT}
local scope, id, value, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
for i = 10, #ARGV, 2 do redis.call('SET', start .. 'c:' .. ARGV[i], ARGV[i + 1], 'PX', ttl) end
local missing = {}
for _, name in ipairs(chunks(value)) do
  if redis.call('PEXPIRE', start .. 'c:' .. name, ttl) == 0 then missing[#missing + 1] = name end
end
if #missing > 0 then return missing end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
value = string.sub(value, 1, ORDER - 1) .. struct.pack('>I8', now) .. string.sub(value, ORDER + 8)
redis.call('HSET', KEYS[1], id, value)
if ARGV[7] ~= '' then
  redis.call('HDEL', KEYS[1], ARGV[7])
  redis.call('ZREM', KEYS[2], scope .. ARGV[7])
end
if ARGV[8] ~= '' then
  local read = redis.call('HGET', KEYS[1], ARGV[8])
  if isOurs(read) then
    redis.call('HSET', KEYS[1], ARGV[8], string.sub(read, 1, 1) .. string.char(1) .. string.sub(read, 3))
  end
end
local count = redis.call('HLEN', KEYS[1])
if count > tonumber(ARGV[5]) then
  local oldest, oldestOrder
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    local at = isOurs(all[i + 1]) and order(all[i + 1]) or ''
    if oldestOrder == nil or at < oldestOrder then oldest, oldestOrder = all[i], at end
  end
  redis.call('HDEL', KEYS[1], oldest)
  redis.call('ZREM', KEYS[2], scope .. oldest)
end
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('ZADD', KEYS[2], string.format('%.0f', now), scope .. id)
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[6]))
redis.call('PEXPIRE', KEYS[2], ttl)
if ARGV[9] ~= '' then redis.call('SET', start .. 'n:' .. ARGV[9], scope .. id, 'PX', ttl) end
return missing
`;
