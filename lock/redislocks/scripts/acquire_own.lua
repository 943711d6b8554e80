-- Takes the lock KEYS[1] with the value ARGV[1] for ARGV[2] milliseconds if it
-- is free, or has that value already: a request may be executed twice. Answers
-- 1, or 0 if it is taken.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
	return 1
end
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
