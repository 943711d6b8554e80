-- Makes the lease of ARGV[2], who is 'r:' or 'w:' and the holder, last for
-- ARGV[1] milliseconds from now, if it has not run out. Answers 1, or 0.
local now = clock()
purge(KEYS[1], KEYS[2], now)
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
	return 0
end
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[1]), ARGV[2])
keep(KEYS[1], KEYS[2], last(KEYS[2]) - now)
return 1
