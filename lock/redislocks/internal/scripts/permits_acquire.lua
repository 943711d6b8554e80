-- Takes ARGV[3] of the ARGV[4] permits of KEYS[1] for ARGV[1] milliseconds for
-- the lease ARGV[2]. Answers -3 if it has them now, or for how many milliseconds
-- there are not so many.
local n, total = tonumber(ARGV[3]), tonumber(ARGV[4])
local now, used = clock(), redis.call('ZCARD', KEYS[1])
if used > 0 then
	used = used - purge(KEYS[1], now)
end
local missing = used + n - total
if missing > 0 and not redis.call('ZSCORE', KEYS[1], ARGV[2] .. ':1') then
	return redis.call('ZRANGE', KEYS[1], missing - 1, missing - 1, 'WITHSCORES')[2] - now
end
grant(KEYS[1], ARGV[2], n, tonumber(ARGV[1]), now, used == 0)
return -3
