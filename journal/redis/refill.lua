-- Puts a run or an interrupt that an earlier version has written where it is found, unless it is there
-- already; or a run where workers find it.
local kept, index = KEYS[1], KEYS[2]
local field, tail, packed = ARGV[1], ARGV[2], ARGV[3]
if redis.call('HEXISTS', kept, field) == 1 or (field == 'places' and redis.call('HEXISTS', kept, 'head') == 0) then
  return 0
end
if field == 'turn' then -- the packed place is that of a run which is wanted
  local was = redis.call('HMGET', kept, 'places', 'priority', 'status', 'ready', 'kind')
  if not was[1] or was[2] or was[5] == 'definition' or (was[3] ~= 'running' and (was[3] ~= 'paused' or was[4] ~= '1')) then
    return 0
  end
  packed, field = was[1] .. packed, 'places'
end
local at = 1
while at <= #packed do
  local colon = string.find(packed, ':', at, true)
  local n = tonumber(string.sub(packed, at, colon - 1))
  redis.call('ZADD', index, 0, string.sub(packed, colon + 1, colon + n) .. tail)
  at = colon + n + 1
end
redis.call('HSET', kept, field, packed)
return 1
