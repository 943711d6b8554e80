-- Takes the writer's lock KEYS[1] for ARGV[1] milliseconds for the holder
-- ARGV[2], who then holds it ARGV[3] times, if nobody else has it, and nobody
-- the reader's. KEYS[2] has the ends of the leases. Answers nil, or for how many
-- milliseconds it is taken, or 'upgrade' if the holder reads.
local lease, reader, writer = tonumber(ARGV[1]), 'r:' .. ARGV[2], 'w:' .. ARGV[2]
local now = purge(KEYS[1], KEYS[2])
local held = redis.call('HEXISTS', KEYS[1], writer) == 1
if not held then
	if redis.call('HEXISTS', KEYS[1], reader) == 1 then
		return 'upgrade'
	end
	local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
	if last[1] or ARGV[3] ~= '1' then
		return (last[2] or now) - now
	end
	redis.call('HSET', KEYS[1], 'writer', writer)
end
grant(KEYS[1], KEYS[2], writer, ARGV[3], now + lease, now)
return false
