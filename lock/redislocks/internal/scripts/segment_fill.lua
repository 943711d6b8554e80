-- Gives the segments KEYS their first items, ARGV, if they have had none.
-- Answers 1 if it did.
if redis.call('EXISTS', KEYS[1]) == 1 then
	return 0
end
for i, key in ipairs(KEYS) do
	redis.call('SET', key, ARGV[i])
end
return 1
