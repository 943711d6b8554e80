-- What the scripts of the semaphore with leases begin with. The sorted set has
-- the end of the lease of each permit that is taken, by the server's clock.

-- clock answers what time it is in milliseconds.
local function clock()
	local time = redis.call('TIME')
	return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- purge removes what has run out by now, and answers how many that are.
local function purge(permits, now)
	return redis.call('ZREMRANGEBYSCORE', permits, '-inf', now)
end

-- grant has each permit of a lease last for so long from now; alone says that
-- no others are taken. The key lives for as long as the longest lease.
local function grant(permits, id, count, lease, now, alone)
	for i = 1, count do
		redis.call('ZADD', permits, now + lease, id .. ':' .. i)
	end
	if not alone then
		lease = redis.call('ZRANGE', permits, '-1', '-1', 'WITHSCORES')[2] - now
	end
	redis.call('PEXPIRE', permits, lease)
end

