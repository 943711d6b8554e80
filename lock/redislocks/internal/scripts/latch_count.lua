-- Answers how many have to count the latch KEYS[1] down.
return tonumber(redis.call('HGET', KEYS[1], 'left') or 0)
