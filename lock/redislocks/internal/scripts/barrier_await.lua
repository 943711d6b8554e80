-- Lets ARGV[1] wait at the barrier KEYS[1], whose value is its generation, for
-- ARGV[4] milliseconds, among the others of the sorted set KEYS[2]. As many as
-- ARGV[3] complete the generation: they are noted in the set KEYS[3], and the
-- channel ARGV[5] is told. ARGV[2] is the generation that it waits in, or empty.
-- Answers the generation that was complete with it, or -1-g if it waits in g.
local generation = tonumber(redis.call('GET', KEYS[1]) or 0)
if ARGV[2] ~= '' and generation > tonumber(ARGV[2]) then
	return tonumber(ARGV[2])
end
if redis.call('SISMEMBER', KEYS[3], ARGV[1]) == 1 then
	return generation - 1
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[4]), ARGV[1])
if redis.call('ZCARD', KEYS[2]) < tonumber(ARGV[3]) then
	redis.call('PEXPIRE', KEYS[2], ARGV[4])
	return -1 - generation
end
redis.call('DEL', KEYS[3])
for _, who in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
	redis.call('SADD', KEYS[3], who)
end
redis.call('PEXPIRE', KEYS[3], 2 * tonumber(ARGV[4]))
redis.call('DEL', KEYS[2])
redis.call('SET', KEYS[1], generation + 1)
redis.call('PUBLISH', ARGV[5], 'open')
return generation
