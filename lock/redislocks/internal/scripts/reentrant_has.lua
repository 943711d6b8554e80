-- Answers 1 if ARGV[1] holds the lock KEYS[1], 0 if not.
return redis.call('HEXISTS', KEYS[1], ARGV[1])
