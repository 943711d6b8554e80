-- Makes the lock KEYS[1] last for ARGV[2] milliseconds from now if its value is
-- ARGV[1]. Answers 1, or 0 if it is not.
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
