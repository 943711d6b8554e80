-- Takes the writer's lock KEYS[1] for ARGV[1] milliseconds for the holder
-- ARGV[2], who then holds it ARGV[3] times, if nobody else has it, and nobody
-- the reader's. KEYS[2] has the ends of the leases. Answers -3 if he has it now,
-- for how many milliseconds it is taken, or 'upgrade' if the holder reads.
local lease, reader, writer = ARGV[1], 'r:' .. ARGV[2], 'w:' .. ARGV[2]
local now, till = clock(), last(KEYS[2])
if till then
	purge(KEYS[1], KEYS[2], now)
	local state = redis.call('HMGET', KEYS[1], reader, writer)
	if state[2] then
		grant(KEYS[1], KEYS[2], writer, ARGV[3], lease, now, till)
		return -3
	end
	if state[1] then
		return 'upgrade'
	end
	if till > now then
		return till - now
	end
end
if ARGV[3] ~= '1' then
	return 0
end
redis.call('HSET', KEYS[1], 'writer', writer, writer, ARGV[3])
redis.call('ZADD', KEYS[2], now + lease, writer)
keep(KEYS[1], KEYS[2], lease)
return -3
