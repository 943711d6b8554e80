-- Takes items of some segments for the order ARGV[1], which is also the value of
-- the locks that it has on them. KEYS has, after the first, the stock and the
-- lock of each segment, and ARGV, after the second, how many items of each.
-- KEYS[1] remembers for ARGV[2] milliseconds that it was done. Answers 1, 0 if
-- there are not so many, or -1 if one of the locks is not the order's any more.
if redis.call('EXISTS', KEYS[1]) == 1 then
	return 1
end
for i = 2, #KEYS, 2 do
	if redis.call('GET', KEYS[i + 1]) ~= ARGV[1] then
		return -1
	end
	if tonumber(redis.call('GET', KEYS[i]) or 0) < tonumber(ARGV[i / 2 + 2]) then
		return 0
	end
end
for i = 2, #KEYS, 2 do
	redis.call('DECRBY', KEYS[i], ARGV[i / 2 + 2])
end
redis.call('SET', KEYS[1], 1, 'PX', ARGV[2])
return 1
