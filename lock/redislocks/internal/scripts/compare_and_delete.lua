-- Deletes KEYS[1] if its value is ARGV[1]. Answers how many keys it deleted.
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('DEL', KEYS[1])
end
return 0
