-- Takes ARGV[1], who waits in generation ARGV[2] (or does not know), back from
-- the barrier KEYS[1]. KEYS[2] has those who wait, KEYS[3] those who waited in
-- the last generation. Answers the generation that was complete with it, or -1.
local generation = tonumber(redis.call('GET', KEYS[1]) or 0)
if ARGV[2] ~= '' and generation > tonumber(ARGV[2]) then
	return tonumber(ARGV[2])
end
if redis.call('SISMEMBER', KEYS[3], ARGV[1]) == 1 then
	return generation - 1
end
redis.call('ZREM', KEYS[2], ARGV[1])
return -1
