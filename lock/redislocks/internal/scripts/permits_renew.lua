-- Makes the lease ARGV[2] of ARGV[3] permits of KEYS[1] last for ARGV[1]
-- milliseconds from now, if it has not run out. Answers 1, or 0.
local now = clock()
purge(KEYS[1], now)
if not redis.call('ZSCORE', KEYS[1], ARGV[2] .. ':1') then
	return 0
end
grant(KEYS[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[1]), now, false)
return 1
