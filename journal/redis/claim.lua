-- Makes a driver the driver of a run that has not ended, unless another one that lives is.
local run = KEYS[1]
local driver, beats = ARGV[1], ARGV[2]
local was = redis.call('HMGET', run, 'status', 'driver')
if was[1] ~= 'running' and was[1] ~= 'paused' and was[1] ~= 'blocked' then
  return 0
end
local old = was[2] or ''
if old ~= '' and old ~= driver and redis.call('EXISTS', beats .. old) == 1 then
  return 0
end
redis.call('HSET', run, 'driver', driver)
return 1
