-- Gives the lock KEYS[1] up once: the holder ARGV[2] holds it ARGV[3] times
-- more. If that is not at all, his field goes, and the key with it, since nobody
-- else has one, and the channel ARGV[4] is told; otherwise the lease is for
-- ARGV[1] milliseconds at least. Answers 1 if the lock is free now, 0 if not, nil
-- if it was not this holder's.
if ARGV[3] == '0' then
	if redis.call('HDEL', KEYS[1], ARGV[2]) == 0 then
		return false
	end
	redis.call('PUBLISH', ARGV[4], 'released')
	return 1
end
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
	return false
end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
	redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return 0
