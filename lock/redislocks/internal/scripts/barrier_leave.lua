-- Takes ARGV[1], who waits in generation ARGV[2] (or does not know), back from
-- the barrier KEYS[1]. KEYS[2] has those who wait, KEYS[3] the generations of
-- those who were let go. Answers the generation that was complete with it, or -1.
local generation = tonumber(redis.call('GET', KEYS[1]) or 0)
if ARGV[2] ~= '' and generation > tonumber(ARGV[2]) then
	return tonumber(ARGV[2])
end
local passed = redis.call('HGET', KEYS[3], ARGV[1])
if passed then
	return tonumber(passed)
end
redis.call('ZREM', KEYS[2], ARGV[1])
return -1
