-- Answers 1 if ARGV[1], who is 'r:' or 'w:' and the holder, has a lease that has not
-- run out, 0 if not.
local till = redis.call('ZSCORE', KEYS[2], ARGV[1])
local time = redis.call('TIME')
if till and tonumber(till) > time[1] * 1000 + math.floor(time[2] / 1000) then
	return 1
end
return 0
