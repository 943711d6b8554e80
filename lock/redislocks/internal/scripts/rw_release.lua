-- Gives the lock KEYS[1] up once for ARGV[2], who is 'r:' or 'w:' and the
-- holder: it holds it ARGV[3] times more, for ARGV[1] milliseconds at least. If
-- somebody may come in now who could not before, the channel ARGV[4] is told.
-- Answers 1 if it was given up, 0 if the holder has it still, nil if it was not
-- its.
local holder = ARGV[2]
local some = redis.call('ZRANGE', KEYS[2], '0', '1')
if #some == 1 and some[1] == holder and ARGV[3] == '0' then
	redis.call('DEL', KEYS[1], KEYS[2]) -- nobody else has it, and the keys end with its lease
	redis.call('PUBLISH', ARGV[4], 'released')
	return 1
end
local now = clock()
purge(KEYS[1], KEYS[2], now)
if ARGV[3] ~= '0' then
	if redis.call('HEXISTS', KEYS[1], holder) == 0 then
		return false
	end
	grant(KEYS[1], KEYS[2], holder, ARGV[3], tonumber(ARGV[1]), now, last(KEYS[2]))
	return 0
end
if redis.call('ZREM', KEYS[2], holder) == 0 then
	return false
end
if remove(KEYS[1], holder) or redis.call('EXISTS', KEYS[1]) == 0 then
	redis.call('PUBLISH', ARGV[4], 'released')
end
return 1
