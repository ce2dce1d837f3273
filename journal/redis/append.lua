-- Writes a batch: all of it or nothing. Redis does not undo what a script has written when it fails, so whatever can
-- fail is asked before the first write, and that one is of a kind which Redis refuses when its memory is full.
local run, journal, pending, meta, runs, interrupts, inbox, timers, finds, asked, asks, held, feed, gone = unpack(KEYS)
local n = 0
local function arg()
  n = n + 1
  return ARGV[n]
end

local id, after, head, token, frame, channel, sender = arg(), arg(), arg(), arg(), arg(), arg(), arg()
local row = arg() == '1'
local was, found
if row or frame == '' then
  was = redis.call('HMGET', run, 'head', 'token', 'born', 'status', 'plan', 'kind', 'dedup', 'places')
  found = was[1] or '0'
else
  found = redis.call('HGET', run, 'head') or '0'
end
-- A writer that never heard of its success sends the very same batch again. Its token is beside its frame; a batch
-- without a frame leaves it in the run.
local done
if frame == '' then
  done = was[2] == token
elseif found ~= after then
  for _, f in ipairs(redis.call('XRANGE', journal, head .. '-0', head .. '-0')) do
    done = f[2][4] == token
  end
end
if done then
  return {'OK'}
end
if found ~= after then
  return {'CONFLICT', found}
end
if arg() == '1' then -- entries, and nothing else
  if not redis.call('XADD', journal, 'NOMKSTREAM', head .. '-0', 'f', frame, 't', token) then
    return {'CORRUPT', 'the head is ' .. found .. ', and there are 0 frames'}
  end
  redis.call('HSET', run, 'head', head)
  return {'OK'}
end
local frames = redis.call('XLEN', journal)
if (frames == 0) ~= (found == '0') then
  return {'CORRUPT', 'the head is ' .. found .. ', and there are ' .. frames .. ' frames'}
end

local names = {'plan', 'kind', 'fingerprint', 'definition', 'status', 'error', 'created', 'updated', 'waiting', 'driver', 'ready',
  'queue', 'priority', 'notbefore', 'dedup'}
local ended, labels, places
if row then
  row = {}
  for _, name in ipairs(names) do
    row[name] = arg()
  end
  ended = arg() == '1'
  if arg() == '1' and redis.call('HGET', run, 'driver') ~= arg() then
    return {'CONFLICT', found}
  end
  labels, places = arg(), arg()
end
local questions, due = {}, {}
for i = 1, tonumber(arg()) do
  questions[i] = {id = arg(), opened = arg(), open = arg(), data = arg(), places = arg()}
end
for i = 1, tonumber(arg()) do
  due[i] = {id = arg(), at = arg()}
end

-- A key of another type fails here, and not when half of the batch is written.
if row or #questions > 0 or #due > 0 then
  local born = redis.call('HGET', meta, 'born')
  if born and not tonumber(born) then
    return {'CORRUPT', 'the counter of runs is not a number'}
  end
  redis.call('ZCARD', runs)
  redis.call('ZCARD', inbox)
  redis.call('ZCARD', timers)
  redis.call('ZCARD', finds)
  redis.call('ZCARD', asked)
  redis.call('HLEN', asks)
  redis.call('HLEN', held)
  redis.call('HLEN', pending)
  local mark = redis.call('HGET', meta, 'mark')
  if mark and not tonumber(mark) then
    return {'CORRUPT', 'the counter of changes is not a number'}
  end
  redis.call('ZCARD', feed)
  redis.call('HLEN', gone)
end
if row and row.dedup ~= '' then
  local holder = redis.call('HGET', held, row.dedup)
  if holder and holder ~= id then
    return {'HELD', holder}
  end
end
for _, q in ipairs(questions) do
  local old = redis.call('HGET', interrupts, q.id)
  if old then
    local last = string.find(old, '\0', 34, true)
    if not last then
      return {'CORRUPT', 'interrupt ' .. q.id}
    end
    local owner = string.sub(old, 34, last - 1)
    if owner ~= id then
      return {'OWNER', q.id, owner}
    end
  end
end

if frame ~= '' then
  redis.call('XADD', journal, head .. '-0', 'f', frame, 't', token)
  redis.call('HSET', run, 'head', head)
else
  redis.call('HSET', run, 'head', head, 'token', token)
end

local function number()
  return string.format('%016d', redis.call('HINCRBY', meta, 'born', 1))
end

local function unpacked(text)
  local list, at = {}, 1
  while at <= #text do
    local colon = string.find(text, ':', at, true)
    local n = tonumber(string.sub(text, at, colon - 1))
    list[#list + 1] = string.sub(text, colon + 1, colon + n)
    at = colon + n + 1
  end
  return list
end

-- Where something is found: the places that it had are packed as those that it gets.
local function find(key, old, new, tail)
  if old == new then
    return
  end
  local stays = {}
  for _, place in ipairs(unpacked(new)) do
    stays[place] = true
  end
  for _, place in ipairs(unpacked(old)) do
    if stays[place] then
      stays[place] = nil
    else
      redis.call('ZREM', key, place .. tail)
    end
  end
  for _, place in ipairs(unpacked(new)) do
    if stays[place] then
      redis.call('ZADD', key, 0, place .. tail)
    end
  end
end

if row then
  local new = not was[3]
  local tail = (was[3] or number()) .. id
  local function listed(kind, status, plan)
    if kind == 'definition' then
      return {'d\0' .. tail}
    end
    return {'r\0' .. tail, 's\0' .. status .. '\0' .. tail, 'p\0' .. plan .. '\0' .. tail}
  end
  if new then
    redis.call('HSET', run, 'born', string.sub(tail, 1, 16))
  end
  for _, name in ipairs(names) do
    redis.call('HSET', run, name, row[name])
  end
  if new or was[4] ~= row.status or was[5] ~= row.plan or was[6] ~= row.kind then
    if not new then
      for _, place in ipairs(listed(was[6], was[4], was[5])) do
        redis.call('ZREM', runs, place)
      end
    end
    for _, place in ipairs(listed(row.kind, row.status, row.plan)) do
      redis.call('ZADD', runs, 0, place)
    end
  end
  if labels ~= '' then
    redis.call('HSET', run, 'labels', labels)
  else
    redis.call('HDEL', run, 'labels')
  end
  find(finds, was[8] or '', places, tail)
  redis.call('HSET', run, 'places', places)
  local key = was[7] or ''
  if key ~= row.dedup then
    if key ~= '' then
      redis.call('HDEL', held, key)
    end
    if row.dedup ~= '' then
      redis.call('HSET', held, row.dedup, id)
    end
  end
end

for _, q in ipairs(questions) do
  local order
  local old = redis.call('HGET', interrupts, q.id)
  if old then
    order = string.sub(old, 1, 32)
    redis.call('ZREM', inbox, 'a:' .. order .. q.id, 'o:' .. order .. q.id, 'r:' .. id .. '\0' .. order .. q.id)
    order = q.opened .. string.sub(order, 17)
  else
    order = q.opened .. number()
  end
  redis.call('HSET', interrupts, q.id, order .. q.open .. id .. '\0' .. q.data)
  redis.call('ZADD', inbox, 0, 'a:' .. order .. q.id, 0, 'r:' .. id .. '\0' .. order .. q.id)
  if q.open == '1' then
    redis.call('ZADD', inbox, 0, 'o:' .. order .. q.id)
  end
  find(asked, redis.call('HGET', asks, q.id) or '', q.places, string.sub(order, 17) .. q.id)
  redis.call('HSET', asks, q.id, q.places)
end

local function drop(timer)
  local at = redis.call('HGET', pending, timer)
  if at then
    redis.call('ZREM', timers, at .. '\0' .. id .. '\0' .. timer)
    redis.call('HDEL', pending, timer)
  end
end
for _, t in ipairs(due) do
  drop(t.id)
  if t.at ~= '' then
    redis.call('HSET', pending, t.id, t.at)
    redis.call('ZADD', timers, 0, t.at .. '\0' .. id .. '\0' .. t.id)
  end
end
if ended then
  for _, timer in ipairs(redis.call('HKEYS', pending)) do
    drop(timer)
  end
end

if arg() == '1' then
  redis.call('HSET', run, 'checkSeq', arg(), 'checkData', arg())
end
if (row or #questions > 0) and (row and row.kind or redis.call('HGET', run, 'kind')) ~= 'definition' then
  redis.call('ZADD', feed, redis.call('HINCRBY', meta, 'mark', 1), id)
  redis.call('HSET', run, 'fed', head .. ':' .. (redis.call('HGET', run, 'token') or ''))
  redis.call('HDEL', gone, id)
end
redis.pcall('PUBLISH', channel, sender .. '\0' .. id) -- who may not tell others may still write
return {'OK'}
