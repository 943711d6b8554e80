-- What the scripts of the lock for readers and a writer begin with. The hash
-- counts what each holder has, and names the writer if there is one; the sorted
-- set has the ends of the leases, by the server's clock.

-- purge removes what has run out, and answers what time it is in milliseconds.
local function purge(hash, ends)
	local time = redis.call('TIME')
	local now = time[1] * 1000 + math.floor(time[2] / 1000)
	for _, holder in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now)) do
		redis.call('ZREM', ends, holder)
		redis.call('HDEL', hash, holder)
		if redis.call('HGET', hash, 'writer') == holder then
			redis.call('HDEL', hash, 'writer')
		end
	end
	return now
end

-- keep has both keys live for as long as the longest lease.
local function keep(hash, ends, now)
	local last = redis.call('ZRANGE', ends, -1, -1, 'WITHSCORES')
	redis.call('PEXPIRE', hash, last[2] - now)
	redis.call('PEXPIRE', ends, last[2] - now)
end

-- grant has the holder hold the lock so many times, until then at least.
local function grant(hash, ends, holder, count, till, now)
	redis.call('HSET', hash, holder, count)
	if tonumber(redis.call('ZSCORE', ends, holder) or 0) < till then
		redis.call('ZADD', ends, till, holder)
	end
	keep(hash, ends, now)
end

