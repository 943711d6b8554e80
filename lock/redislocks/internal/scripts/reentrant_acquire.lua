-- Takes the lock KEYS[1] for ARGV[1] milliseconds for the holder ARGV[2], who
-- then holds it ARGV[3] times. Only who holds it may take it once more. The
-- lease is never made shorter. Answers -3, which PTTL never does, if he has it
-- now, and else for how many milliseconds the lock is taken.
local left = redis.call('PTTL', KEYS[1])
if (left == -2 and ARGV[3] == '1') or redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then
	redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
	if left < tonumber(ARGV[1]) then
		redis.call('PEXPIRE', KEYS[1], ARGV[1])
	end
	return -3
end
return left
