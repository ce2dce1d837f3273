-- Removes a run with all that belongs to it. As in append.lua, whatever can fail is asked first.
local run, journal, pending, runs, interrupts, inbox, timers = unpack(KEYS)
local id, channel, sender = unpack(ARGV)
local was = redis.call('HMGET', run, 'born', 'status', 'plan', 'kind')
local mine = 'r:' .. id .. '\0'
local waiting = redis.call('HGETALL', pending)
local questions = redis.call('ZRANGEBYLEX', inbox, '[' .. mine, '(r:' .. id .. '\1')
redis.call('HLEN', interrupts)
redis.call('ZCARD', runs)
redis.call('ZCARD', timers)

for i = 1, #waiting, 2 do
  redis.call('ZREM', timers, waiting[i + 1] .. '\0' .. id .. '\0' .. waiting[i])
end
for _, q in ipairs(questions) do
  local order = string.sub(q, #mine + 1)
  redis.call('ZREM', inbox, q, 'a:' .. order, 'o:' .. order)
  redis.call('HDEL', interrupts, string.sub(order, 33))
end
if was[1] then
  local tail = was[1] .. id
  redis.call('ZREM', runs, 'd\0' .. tail, 'r\0' .. tail, 'w\0' .. tail)
  redis.call('ZREM', runs, 's\0' .. (was[2] or '') .. '\0' .. tail, 'p\0' .. (was[3] or '') .. '\0' .. tail)
end
redis.call('UNLINK', run, journal, pending)
redis.pcall('PUBLISH', channel, sender .. '\0' .. id)
return {'OK'}
