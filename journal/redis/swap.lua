-- Gives a cell another value if it has the one that is expected. "-" is no value, "+" stands before one.
local cells = KEYS[1]
local name, was, after, channel, sender = unpack(ARGV)
local now = redis.call('HGET', cells, name)
now = now and '+' .. now or '-'
if now ~= was then
  return {'0', now}
end
if after == '-' then
  redis.call('HDEL', cells, name)
else
  redis.call('HSET', cells, name, string.sub(after, 2))
end
redis.pcall('PUBLISH', channel, sender .. '\0' .. name) -- who may not tell others may still write
return {'1', after}
