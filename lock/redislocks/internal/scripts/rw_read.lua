-- Takes the reader's lock KEYS[1] for ARGV[1] milliseconds for the holder
-- ARGV[2], who then holds it ARGV[3] times, unless somebody else has the
-- writer's. KEYS[2] has the ends of the leases. Answers -3 if he has it now, or
-- for how many milliseconds it is taken.
local lease, reader, writer = tonumber(ARGV[1]), 'r:' .. ARGV[2], 'w:' .. ARGV[2]
local now, till = clock(), last(KEYS[2])
local held, writing
if till then
	purge(KEYS[1], KEYS[2], now)
	local state = redis.call('HMGET', KEYS[1], reader, 'writer')
	held, writing = state[1], state[2]
end
if not held and (ARGV[3] ~= '1' or (writing and writing ~= writer)) then
	return writing and redis.call('ZSCORE', KEYS[2], writing) - now or 0
end
grant(KEYS[1], KEYS[2], reader, ARGV[3], lease, now, till)
return -3
