-- What the scripts of the semaphore with leases begin with. The sorted set has
-- the end of the lease of each permit that is taken, by the server's clock.

-- purge removes what has run out, and answers what time it is in milliseconds.
local function purge(permits)
	local time = redis.call('TIME')
	local now = time[1] * 1000 + math.floor(time[2] / 1000)
	redis.call('ZREMRANGEBYSCORE', permits, '-inf', now)
	return now
end

-- grant has each permit of a lease last until then.
local function grant(permits, id, count, till, now)
	for i = 1, count do
		redis.call('ZADD', permits, till, id .. ':' .. i)
	end
	local last = redis.call('ZRANGE', permits, -1, -1, 'WITHSCORES')
	redis.call('PEXPIRE', permits, last[2] - now)
end

