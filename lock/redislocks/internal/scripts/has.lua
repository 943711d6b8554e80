-- Answers 1 if the value of KEYS[1] is ARGV[1], 0 if not.
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return 1
end
return 0
