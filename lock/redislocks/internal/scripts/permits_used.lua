-- Answers how many permits of KEYS[1] are taken.
purge(KEYS[1], clock())
return redis.call('ZCARD', KEYS[1])
