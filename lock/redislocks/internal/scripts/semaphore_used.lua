-- Answers how many permits of the semaphore KEYS[1] are taken.
return tonumber(redis.call('HGET', KEYS[1], 'used') or 0)
