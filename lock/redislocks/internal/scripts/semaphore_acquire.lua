-- Takes ARGV[2] of the ARGV[3] permits of the semaphore KEYS[1] for ARGV[1]. The
-- hash has what each has, and in 'used' the sum. Answers -3 if it has them now,
-- or -1 if there are not so many.
local state = redis.call('HMGET', KEYS[1], ARGV[1], 'used')
if state[1] then
	return -3
end
local used = tonumber(state[2] or 0) + tonumber(ARGV[2])
if used > tonumber(ARGV[3]) then
	return -1
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], 'used', used)
return -3
