-- Gives the lock KEYS[1] up once: the holder ARGV[2] holds it ARGV[3] times
-- more, for ARGV[1] milliseconds at least. If that is not at all, his field goes,
-- and the key with it, since nobody else has one. Whoever does not hold it loses
-- what he may have in the queue KEYS[2] and among its times KEYS[3]. Whenever the
-- lock is free then, the first of the queue is told by name, on the channel ARGV[4]
-- of his process. Answers 1 if the lock was given up, 0 if the holder has it
-- still, nil if it was not his.
local holder, his = ARGV[2], false
if ARGV[3] == '0' then
	his = redis.call('HDEL', KEYS[1], holder) == 1
elseif redis.call('HEXISTS', KEYS[1], holder) == 1 then
	redis.call('HSET', KEYS[1], holder, ARGV[3])
	if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
		redis.call('PEXPIRE', KEYS[1], ARGV[1])
	end
	return 0
end
if not his and redis.call('ZREM', KEYS[3], holder) == 1 then
	redis.call('LREM', KEYS[2], 0, holder)
end

local first = redis.call('LINDEX', KEYS[2], '0')
if first and (his or redis.call('EXISTS', KEYS[1]) == 0) then
	local time = redis.call('TIME')
	local now = time[1] * 1000 + math.floor(time[2] / 1000)
	while first and tonumber(redis.call('ZSCORE', KEYS[3], first) or 0) <= now do
		redis.call('LPOP', KEYS[2])
		redis.call('ZREM', KEYS[3], first)
		first = redis.call('LINDEX', KEYS[2], '0')
	end
	if first then
		redis.call('PUBLISH', ARGV[4] .. ':' .. string.match(first, '^[^:]*'), first)
	end
end
if his then
	return 1
end
return false
