-- Gives back what ARGV[1] has of the semaphore KEYS[1], and tells the channel
-- ARGV[2]. Answers 1, or 0 if it has nothing.
local n = redis.call('HGET', KEYS[1], ARGV[1])
if not n then
	return 0
end
redis.call('HDEL', KEYS[1], ARGV[1])
if redis.call('HINCRBY', KEYS[1], 'used', 0 - n) == 0 then
	redis.call('DEL', KEYS[1])
end
redis.call('PUBLISH', ARGV[2], 'released')
return 1
