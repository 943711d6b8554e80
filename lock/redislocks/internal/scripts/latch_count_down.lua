-- Counts the latch KEYS[1] down for ARGV[1], if it is closed and this one has
-- not counted yet. The last one opens it, and the channel ARGV[2] is told.
-- Answers how many are left.
local left = tonumber(redis.call('HGET', KEYS[1], 'left') or 0)
if left == 0 or redis.call('HSETNX', KEYS[1], 'counted:' .. ARGV[1], 1) == 0 then
	return left
end
if left == 1 then
	redis.call('DEL', KEYS[1])
	redis.call('PUBLISH', ARGV[2], 'open')
	return 0
end
return redis.call('HINCRBY', KEYS[1], 'left', -1)
