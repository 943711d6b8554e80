-- Gives the lock KEYS[1] up once for ARGV[2], who is 'r:' or 'w:' and the
-- holder: it holds it ARGV[3] times more, for ARGV[1] milliseconds at least. If
-- somebody may come in now who could not before, the channel ARGV[4] is told.
-- Answers 1 if it was given up, 0 if the holder has it still, nil if it was not
-- its.
local now = purge(KEYS[1], KEYS[2])
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
	return false
end
if ARGV[3] ~= '0' then
	grant(KEYS[1], KEYS[2], ARGV[2], ARGV[3], now + tonumber(ARGV[1]), now)
	return 0
end
redis.call('HDEL', KEYS[1], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
local wrote = redis.call('HGET', KEYS[1], 'writer') == ARGV[2]
if wrote then
	redis.call('HDEL', KEYS[1], 'writer')
end
if wrote or redis.call('HLEN', KEYS[1]) == 0 then
	redis.call('PUBLISH', ARGV[4], 'released')
end
return 1
