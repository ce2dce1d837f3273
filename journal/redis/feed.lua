-- The next changes of the feed: the name of its order, its last mark, the last one that was forgotten, when an earlier format was
-- left, and then for each change its mark, its run, and what is known of a run that is gone.
local meta, feed, gone = unpack(KEYS)
local answer = redis.call('HMGET', meta, 'order', 'mark', 'forgotten', 'left')
for i = 1, 4 do
  answer[i] = answer[i] or ''
end
local found = redis.call('ZRANGEBYSCORE', feed, '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
for i = 1, #found, 2 do
  answer[#answer + 1] = string.format('%.0f', tonumber(found[i + 1]))
  answer[#answer + 1] = found[i]
  answer[#answer + 1] = redis.call('HGET', gone, found[i]) or ''
end
return answer
