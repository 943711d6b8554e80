-- Makes the lease of the lock KEYS[1] last for ARGV[1] milliseconds from now if
-- ARGV[2] holds it. Answers 1, or 0 if it does not.
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then
	return redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return 0
