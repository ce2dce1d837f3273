-- Gives a run that an earlier version has written to, or deleted, its place in the feed of changes, unless it has it.
local run, meta, feed, gone = unpack(KEYS)
local id = ARGV[1]
local was = redis.call('HMGET', run, 'head', 'token', 'fed', 'kind')
if was[1] then
  local is = was[1] .. ':' .. (was[2] or '')
  if was[4] == 'definition' or was[3] == is then
    return 0
  end
  redis.call('ZADD', feed, redis.call('HINCRBY', meta, 'mark', 1), id)
  redis.call('HSET', run, 'fed', is)
  redis.call('HDEL', gone, id)
  return 1
end
if redis.call('HEXISTS', gone, id) == 1 or not redis.call('ZSCORE', feed, id) then
  return 0
end
redis.call('ZADD', feed, redis.call('HINCRBY', meta, 'mark', 1), id)
redis.call('HSET', gone, id, cjson.encode({at = tonumber(redis.call('TIME')[1]), plan = '', kind = ''}))
return 1
