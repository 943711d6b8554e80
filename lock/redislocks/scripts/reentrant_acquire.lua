-- Takes the lock KEYS[1] for ARGV[1] milliseconds for the holder ARGV[2], who
-- then holds it ARGV[3] times. Only who holds it may take it once more. The
-- lease is never made shorter. Answers nil, or for how many milliseconds the
-- lock is taken.
local held = redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1
if held or (ARGV[3] == '1' and redis.call('EXISTS', KEYS[1]) == 0) then
	redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
	if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
		redis.call('PEXPIRE', KEYS[1], ARGV[1])
	end
	return false
end
return redis.call('PTTL', KEYS[1])
