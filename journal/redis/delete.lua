-- Removes a run with all that belongs to it. As in append.lua, whatever can fail is asked first.
local run, journal, pending, runs, interrupts, inbox, timers, finds, asked, asks, held, meta, feed, gone = unpack(KEYS)
local id, channel, sender = unpack(ARGV)
local was = redis.call('HMGET', run, 'born', 'status', 'plan', 'kind', 'places', 'dedup', 'labels')
local mine = 'r:' .. id .. '\0'
local waiting = redis.call('HGETALL', pending)
local questions = redis.call('ZRANGEBYLEX', inbox, '[' .. mine, '(r:' .. id .. '\1')
redis.call('HLEN', interrupts)
redis.call('ZCARD', runs)
redis.call('ZCARD', timers)
redis.call('ZCARD', finds)
redis.call('ZCARD', asked)
redis.call('HLEN', asks)
redis.call('HLEN', held)
redis.call('ZCARD', feed)
redis.call('HLEN', gone)
local mark = redis.call('HGET', meta, 'mark')
if mark and not tonumber(mark) then
  return redis.error_reply('the counter of changes is not a number')
end

local function lose(key, text, tail)
  local at = 1
  while at <= #text do
    local colon = string.find(text, ':', at, true)
    local n = tonumber(string.sub(text, at, colon - 1))
    redis.call('ZREM', key, string.sub(text, colon + 1, colon + n) .. tail)
    at = colon + n + 1
  end
end

for i = 1, #waiting, 2 do
  redis.call('ZREM', timers, waiting[i + 1] .. '\0' .. id .. '\0' .. waiting[i])
end
for _, q in ipairs(questions) do
  local order = string.sub(q, #mine + 1)
  redis.call('ZREM', inbox, q, 'a:' .. order, 'o:' .. order)
  local question = string.sub(order, 33)
  redis.call('HDEL', interrupts, question)
  lose(asked, redis.call('HGET', asks, question) or '', string.sub(order, 17))
  redis.call('HDEL', asks, question)
end
if was[1] then
  local tail = was[1] .. id
  lose(finds, was[5] or '', tail)
  if was[6] and was[6] ~= '' then
    redis.call('HDEL', held, was[6])
  end
  redis.call('ZREM', runs, 'd\0' .. tail, 'r\0' .. tail)
  redis.call('ZREM', runs, 's\0' .. (was[2] or '') .. '\0' .. tail, 'p\0' .. (was[3] or '') .. '\0' .. tail)
end
if was[1] and was[4] ~= 'definition' then
  local now = tonumber(redis.call('TIME')[1])
  redis.call('ZADD', feed, redis.call('HINCRBY', meta, 'mark', 1), id)
  redis.call('HSET', gone, id, cjson.encode({at = now, plan = was[3] or '', kind = was[4] or '', labels = was[7] or ''}))
  -- Runs that were deleted 30 days ago are forgotten. The oldest changes are looked at, and those that are of runs which are there
  -- are passed over, up to where the last look has come.
  local from = redis.call('HGET', meta, 'looked') or '0'
  local last = redis.call('ZRANGEBYSCORE', feed, '(' .. from, '+inf', 'WITHSCORES', 'LIMIT', 0, 100)
  for i = 1, #last, 2 do
    local known = redis.call('HGET', gone, last[i])
    if known then
      if cjson.decode(known).at > now - 2592000 then
        break
      end
      redis.call('ZREM', feed, last[i])
      redis.call('HDEL', gone, last[i])
      redis.call('HSET', meta, 'forgotten', last[i + 1])
    end
    redis.call('HSET', meta, 'looked', last[i + 1])
  end
end
redis.call('UNLINK', run, journal, pending)
redis.pcall('PUBLISH', channel, sender .. '\0' .. id)
return {'OK'}
