-- Removes a run with all that belongs to it. As in append.lua, whatever can fail is asked first.
local run, journal, pending, runs, interrupts, inbox, timers, finds, asked, asks, held = unpack(KEYS)
local id, channel, sender = unpack(ARGV)
local was = redis.call('HMGET', run, 'born', 'status', 'plan', 'kind', 'places', 'dedup')
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
redis.call('UNLINK', run, journal, pending)
redis.pcall('PUBLISH', channel, sender .. '\0' .. id)
return {'OK'}
