-- Takes the lock KEYS[1] for ARGV[1] milliseconds for the holder ARGV[2], who
-- then holds it ARGV[3] times, if it is his, or if it is free and he is the
-- first of the queue KEYS[2] or nobody is in it. Otherwise he is put at its end,
-- or keeps his place; if ARGV[4] is 0 he will not wait, and is left out. KEYS[3]
-- has until when those in the queue are waited for; his time is ARGV[4]
-- milliseconds from now. Answers -3, which PTTL never does, if he has it now, and
-- else for how many milliseconds the lock is taken if he is the first, or -1.
if ARGV[3] == '1' and redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then -- nobody has it, or waits
	redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
	redis.call('PEXPIRE', KEYS[1], ARGV[1])
	return -3
end
local lease, holder, patience = ARGV[1], ARGV[2], tonumber(ARGV[4])
local left = redis.call('PTTL', KEYS[1])

if left ~= -2 and redis.call('HEXISTS', KEYS[1], holder) == 1 then
	redis.call('HSET', KEYS[1], holder, ARGV[3])
	if left < tonumber(lease) then
		redis.call('PEXPIRE', KEYS[1], lease)
	end
	return -3
end
if ARGV[3] ~= '1' then
	return left
end

local first, now = redis.call('LINDEX', KEYS[2], '0'), 0
if left ~= -2 or (first and first ~= holder) then
	local time = redis.call('TIME')
	now = time[1] * 1000 + math.floor(time[2] / 1000)
end
while first and first ~= holder and tonumber(redis.call('ZSCORE', KEYS[3], first) or 0) <= now do
	redis.call('LPOP', KEYS[2])
	redis.call('ZREM', KEYS[3], first)
	first = redis.call('LINDEX', KEYS[2], '0')
end

if left == -2 and (not first or first == holder) then
	if first then
		redis.call('LPOP', KEYS[2])
		redis.call('ZREM', KEYS[3], holder)
	end
	redis.call('HSET', KEYS[1], holder, ARGV[3])
	redis.call('PEXPIRE', KEYS[1], lease)
	return -3
end

if patience == 0 then
	return math.max(left, -1)
end
if redis.call('ZADD', KEYS[3], now + patience, holder) == 1 then
	redis.call('RPUSH', KEYS[2], holder)
end
redis.call('PEXPIRE', KEYS[2], 2 * patience)
redis.call('PEXPIRE', KEYS[3], 2 * patience)
if not first or first == holder then
	return left
end
return -1
