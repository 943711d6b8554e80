-- Closes the latch KEYS[1] until ARGV[1] have counted it down, if it is open.
-- Answers 1 if it is ARGV[2] who has closed it, 0 if it was somebody else.
if redis.call('HSETNX', KEYS[1], 'by', ARGV[2]) == 1 then
	redis.call('HSET', KEYS[1], 'left', ARGV[1])
	return 1
end
return redis.call('HGET', KEYS[1], 'by') == ARGV[2] and 1 or 0
