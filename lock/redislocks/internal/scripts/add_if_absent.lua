-- Takes the lock KEYS[1] with the value ARGV[1] for ARGV[2] milliseconds if it
-- is free. Answers 1 if it has that value now: a request that is sent again
-- because its answer was lost finds what it took the first time. 0 if somebody
-- else has it.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
	return 1
end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
