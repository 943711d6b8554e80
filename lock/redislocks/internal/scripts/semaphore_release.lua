-- Gives back what ARGV[1] has of the semaphore KEYS[1], and tells the channel
-- ARGV[2]. Answers 1, or 0 if it has nothing.
local state = redis.call('HMGET', KEYS[1], ARGV[1], 'used')
if not state[1] then
	return 0
end
local used = state[2] - state[1]
if used == 0 then
	redis.call('DEL', KEYS[1])
else
	redis.call('HDEL', KEYS[1], ARGV[1])
	redis.call('HSET', KEYS[1], 'used', used)
end
redis.call('PUBLISH', ARGV[2], 'released')
return 1
