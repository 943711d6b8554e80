-- Answers how many items each of the segments KEYS has.
local left = {}
for i, key in ipairs(KEYS) do
	left[i] = tonumber(redis.call('GET', key) or 0)
end
return left
