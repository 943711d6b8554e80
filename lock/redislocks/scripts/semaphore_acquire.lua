-- Takes ARGV[2] of the ARGV[3] permits of the semaphore KEYS[1] for ARGV[1]. The
-- hash has what each has, and in 'used' the sum. Answers nil, or -1 if there are
-- not so many.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
	return false
end
local used = tonumber(redis.call('HGET', KEYS[1], 'used') or 0)
if used + tonumber(ARGV[2]) > tonumber(ARGV[3]) then
	return -1
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'used', ARGV[2])
return false
