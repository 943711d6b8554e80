-- Makes KEYS[1] live for ARGV[2] milliseconds from now if its value is ARGV[1],
-- and never for less than it would: a request that comes late shortens nothing.
-- Answers 1 if the value is that, 0 if not.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return 0
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
	redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
