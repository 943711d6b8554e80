-- Takes the lock KEYS[1] with the value ARGV[1] for ARGV[2] milliseconds if it
-- is free, and draws the next token from KEYS[2]. Answers the token, or 0 if
-- the lock is taken.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
	return redis.call('INCR', KEYS[2])
end
return 0
