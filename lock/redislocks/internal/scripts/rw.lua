-- What the scripts of the lock for readers and a writer begin with. The hash
-- counts what each holder has, and names the writer if there is one; the sorted
-- set has the ends of the leases, by the server's clock. Both have the same
-- holders, and no key is there without one.

-- clock answers what time it is in milliseconds.
local function clock()
	local time = redis.call('TIME')
	return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- last answers until when the longest lease is, or nil if there is none.
local function last(ends)
	local score = redis.call('ZRANGE', ends, '-1', '-1', 'WITHSCORES')[2]
	return score and tonumber(score)
end

-- remove removes a holder whose lease has been removed, and answers whether it
-- was the writer.
local function remove(hash, holder)
	if string.sub(holder, 1, 2) == 'w:' then
		redis.call('HDEL', hash, holder, 'writer')
		return true
	end
	redis.call('HDEL', hash, holder)
	return false
end

-- purge removes what has run out by now.
local function purge(hash, ends, now)
	for _, holder in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now)) do
		redis.call('ZREM', ends, holder)
		remove(hash, holder)
	end
end

-- keep has both keys live for so long.
local function keep(hash, ends, lease)
	redis.call('PEXPIRE', hash, lease)
	redis.call('PEXPIRE', ends, lease)
end

-- grant has the holder hold the lock so many times, until now + lease at least.
-- till is until when the longest lease was, or nil if there was none.
local function grant(hash, ends, holder, count, lease, now, till)
	redis.call('HSET', hash, holder, count)
	if not till or tonumber(redis.call('ZSCORE', ends, holder) or 0) < now + lease then
		redis.call('ZADD', ends, now + lease, holder)
	end
	keep(hash, ends, math.max(till or 0, now + lease) - now)
end

