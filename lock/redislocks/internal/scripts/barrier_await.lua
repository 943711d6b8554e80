-- Lets ARGV[1] wait at the barrier KEYS[1], whose value is its generation, for
-- ARGV[4] milliseconds, among the others of the sorted set KEYS[2]. As many as
-- ARGV[3] complete the generation, and the channel ARGV[5] is told. For twice that
-- time the hash KEYS[3] has the generations of those who were let go, and the
-- sorted set KEYS[4] until when: a repeated request of theirs counts for no other
-- generation. ARGV[2] is the generation that it waits in, or empty. Answers the
-- generation that was complete with it, or -1-g if it waits in g.
local generation = tonumber(redis.call('GET', KEYS[1]) or 0)
if ARGV[2] ~= '' and generation > tonumber(ARGV[2]) then
	return tonumber(ARGV[2])
end
local passed = redis.call('HGET', KEYS[3], ARGV[1])
if passed then
	return tonumber(passed)
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[4]), ARGV[1])
if redis.call('ZCARD', KEYS[2]) < tonumber(ARGV[3]) then
	redis.call('PEXPIRE', KEYS[2], ARGV[4])
	return -1 - generation
end
for _, who in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)) do
	redis.call('HDEL', KEYS[3], who)
	redis.call('ZREM', KEYS[4], who)
end
local kept = 2 * tonumber(ARGV[4])
for _, who in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
	redis.call('HSET', KEYS[3], who, generation)
	redis.call('ZADD', KEYS[4], now + kept, who)
end
redis.call('PEXPIRE', KEYS[3], kept)
redis.call('PEXPIRE', KEYS[4], kept)
redis.call('DEL', KEYS[2])
redis.call('SET', KEYS[1], generation + 1)
redis.call('PUBLISH', ARGV[5], 'open')
return generation
