-- Reads a page of a journal and where the journal ends, in one moment.
local run, journal = KEYS[1], KEYS[2]
local last, most, bytes = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local was = redis.call('HMGET', run, 'head', 'born')
if not was[1] or not was[2] then
  if was[1] or redis.call('EXISTS', journal) == 1 then
    return {'CORRUPT'}
  end
  return {'NONE'}
end
local page = {'OK', was[1], was[2]}
while most > 0 and bytes > 0 do
  local frames = redis.call('XRANGE', journal, last .. '-1', '+', 'COUNT', math.min(most, 32))
  for _, f in ipairs(frames) do
    last = string.match(f[1], '^%d+')
    page[#page + 1] = f[2][1] == 'f' and f[2][2] or '' -- what is not a frame is an empty one
    most = most - 1
    bytes = bytes - #page[#page]
    if bytes <= 0 then
      break
    end
  end
  if #frames == 0 then
    break
  end
end
return page
