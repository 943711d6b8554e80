-- Gives back the ARGV[2] permits of the lease ARGV[1] to KEYS[1], and tells the
-- channel ARGV[3]. Answers 1, or 0 if it has none.
purge(KEYS[1], clock())
local n = 0
for i = 1, tonumber(ARGV[2]) do
	n = n + redis.call('ZREM', KEYS[1], ARGV[1] .. ':' .. i)
end
if n == 0 then
	return 0
end
redis.call('PUBLISH', ARGV[3], 'released')
return 1
