package simredis

// goldenScripts are scripts about numbers and text, and what Redis answers to
// them: its reply with blanks for the ends of lines and without the lengths of
// strings. ARGV is 1e14, 010 and 0x10.
const goldenScripts = `
	return tostring(1e14) => $1e+14
	return tostring(99999999999999) => $99999999999999
	return tostring(100000000000000) => $1e+14
	return tostring(123456789012345) => $1.2345678901234e+14
	return tostring(1699999999999999) => $1.7e+15
	return tostring(-1e14) => $-1e+14
	return tostring(2^53) => $9.007199254741e+15
	return tostring(2^63) => $9.2233720368548e+18
	return tostring(2^64) => $1.844674407371e+19
	return tostring(1/3) => $0.33333333333333
	return tostring(0.1) => $0.1
	return tostring(1e-5) => $1e-05
	return tostring(1e-4) => $0.0001
	return tostring(3.0) => $3
	return tostring(1e300*1e10) => $inf
	return tostring(-1/0) => $-inf
	return tostring(0/0) => $-nan
	return tostring(-(0/0)) => $nan
	return tostring(-tonumber('0')) => $-0
	return tostring(-0) => $-0
	local a = 0 return tostring(-a) => $-0
	return tostring(math.huge) => $inf
	return tostring(-math.huge) => $-inf
	return 1e14 .. '' => $1e+14
	return 'a' .. 1e14 .. 'b' .. 1.5 => $a1e+14b1.5
	return 1 .. 2 => $12
	local t = redis.call('time') return #(1699999999 * 1000000 + 5 .. '') => :15
	return table.concat({1e14, 'x', 2.5}, ',') => $1e+14,x,2.5
	return table.concat({1,2,3}, 1e14) => $11e+1421e+143
	return table.concat({1,2,3}, ',', 2) => $2,3
	return table.concat({1,2,3}, ',', 2, 2) => $2
	return table.concat({}, ',') => $
	return table.concat({1,2,3}, ',', 3, 2) => $
	return string.format('%s', 1e14) => $1e+14
	return string.format('%d', 1e14) => $100000000000000
	return string.format('%d', '1e3') => $1000
	return string.format('%.0f', 1e15) => $1000000000000000
	return string.format('%g', 1/3) => $0.333333
	return string.format('%.14g', 2^53) => $9.007199254741e+15
	return string.format('%5d|%-5d|%05d|%+d', 1, 2, 3, 4) => $    1|2    |00003|+4
	return string.format('%x %X %o %u', 255, 255, 8, -1) => $ff FF 10 18446744073709551615
	return string.format('%#x', 255) => $0xff
	return string.format('%c%c', 65, 66.9) => $AB
	return string.format('%5.1f|%e|%G', 1.25, 12345.678, 1e-10) => $  1.2|1.234568e+04|1E-10
	return string.format('%f %5.1f %g', 1/0, -1/0, 0/0) => $inf  -inf -nan
	return string.format('%%|%10s|%-10s|%.2s', 'a', 'b', 'abc') => $%|         a|b         |ab
	return string.format('%i', 3.99) => $3
	return string.format('%d', -3.99) => $-3
	return string.format('%x', -1) => $ffffffffffffffff
	return string.format('%u', 2^63) => $9223372036854775808
	return string.format('%d', 2^63) => $-9223372036854775808
	return string.format('%5c|', 65) => $    A|
	return string.format('%.3d', 5) => $005
	return string.format('%s', 'a\0b') => $a
	return string.format('%.20s|', 5) => $5|
	return string.format('%g %g', 100000, 1000000) => $100000 1e+06
	return string.rep(1e14, 2) => $1e+141e+14
	return string.len(1e14) => :5
	return string.sub(1e14, 1, 2) => $1e
	return string.find(1e14, 'e') => :2
	return (string.gsub('abc', 'b', 1e14)) => $a1e+14c
	return (string.gsub(1e14, '+', 'P')) => $1eP14
	return string.byte(1e14) => :49
	return string.reverse(12) => $21
	return (string.gsub('abc', 'b', function() return 1e14 end)) => $a1e+14c
	return (string.gsub('abc', 'b', {b = 1e14})) => $a1e+14c
	local r = {} for d in string.gmatch(12345, '%d') do r[#r+1] = d end return r => *5 $1 $2 $3 $4 $5
	return ('x'):rep(3) => $xxx
	return string.upper(1e14) => $1E+14
	return string.match(1e14, '%d+') => $1
	redis.call('set', 'k', 1e14) return redis.call('get', 'k') => $100000000000000
	redis.call('set', 'k', 123456789012345678) return redis.call('get', 'k') => $1.2345678901234568e+17
	redis.call('set', 'k', 3.3) return redis.call('get', 'k') => $3.2999999999999998
	redis.call('set', 'k', 1/0) return redis.call('get', 'k') => $inf
	redis.call('set', 'k', 0/0) return redis.call('get', 'k') => $-nan
	redis.call('set', 'k', -tonumber('0')) return redis.call('get', 'k') => $-0
	redis.call('set', 'k', 2^53) return redis.call('get', 'k') => $9007199254740992
	redis.call('set', 'k', 1e14 .. '') return redis.call('get', 'k') => $1e+14
	redis.call('set', 'k', tostring(1699999999123456)) return redis.call('incr', 'k') => -ERR value is not an integer or out of range script: a0d2b6bfd286305f27859bd9540876abf80f067f, on @user_script:1.
	return redis.call('set', 'k', 'v', 'px', 1e14) => +OK
	return tonumber('1e5') => :100000
	return tostring(tonumber('inf')) => $inf
	return tostring(tonumber('nan')) => $nan
	return tostring(tonumber('-nan')) => $-nan
	return tostring(tonumber('-inf')) => $-inf
	return tostring(tonumber('Infinity')) => $inf
	return tostring(tonumber('infin')) => $nil
	return tostring(tonumber('nan(12)')) => $nan
	return tonumber('0x10') => :16
	return tonumber('0X1f') => :31
	return tostring(tonumber('0x1.8p1')) => $3
	return tostring(tonumber('0x.8')) => $0.5
	return tostring(tonumber('0x')) => $nil
	return tostring(tonumber('1e')) => $nil
	return tostring(tonumber('1e+')) => $nil
	return tostring(tonumber('')) => $nil
	return tostring(tonumber(' ')) => $nil
	return tostring(tonumber(' 12 ')) => $12
	return tostring(tonumber('\t12\n\v\f\r')) => $12
	return tostring(tonumber('1 2')) => $nil
	return tostring(tonumber('1_000')) => $nil
	return tostring(tonumber('010')) => $10
	return tostring(tonumber('0b11')) => $nil
	return tostring(tonumber('0o17')) => $nil
	return tostring(tonumber('+5')) => $5
	return tostring(tonumber('--5')) => $nil
	return tostring(tonumber('.5')) => $0.5
	return tostring(tonumber('5.')) => $5
	return tostring(tonumber('.')) => $nil
	return tostring(tonumber('1e400')) => $inf
	return tostring(tonumber('12\0')) => $12
	return tostring(tonumber('9223372036854775807')) => $9.2233720368548e+18
	return tostring(tonumber('123456789012345678')) => $1.2345678901235e+17
	return tostring(tonumber('-0x10')) => $-16
	return tostring(tonumber('1e5', 10)) => $100000
	return tostring(tonumber('ff', 16)) => $255
	return tostring(tonumber('0xff', 16)) => $255
	return tostring(tonumber('8', 8)) => $nil
	return tostring(tonumber('z', 36)) => $35
	return tostring(tonumber('-1', 16)) => $1.844674407371e+19
	return tostring(tonumber(10, 16)) => $16
	return tostring(tonumber('', 16)) => $nil
	return tostring(tonumber('1.5', 16)) => $nil
	return tostring(tonumber(' 11 ', 2)) => $3
	return tostring(tonumber('99999999999999999999', 16)) => $1.844674407371e+19
	return tostring(tonumber('0x', 16)) => $nil
	return tostring(tonumber('+ 5', 16)) => $nil
	return tostring(tonumber({})) => $nil
	return tostring(tonumber(nil)) => $nil
	return tostring(tonumber(true)) => $nil
	return tostring(tonumber('1', 2.9)) => $1
	return tostring(tonumber('-99999999999999999999', 16)) => $1.844674407371e+19
	return ARGV[2] + 0 => :10
	return ARGV[3] + 0 => :16
	return '1e5' + 0 => :100000
	return 010 => :10
	return 0x10 => :16
	return -'2' => :-2
	return '10' * '010' => :100
	return 2 ^ '010' => :1024
	return tostring('inf' + 0) => $inf
	return tostring('nan' + 0) => $nan
	local s = 0 for i = '1', '010', '2' do s = s + i end return s => :25
	return 1e3 => :1000
	return tostring(1e999) => $inf
	return tostring(1e14 + 1) => $1e+14
	return 7 % '4' => :3
	return 1e14 => :100000000000000
	return 2^63 => :-9223372036854775808
	return -2^63 => :-9223372036854775808
	return 1/0 => :-9223372036854775808
	return 0/0 => :-9223372036854775808
	return -1/0 => :-9223372036854775808
	return 1e300 => :-9223372036854775808
	return {1e14, 0.5} => *2 :100000000000000 :0
	local t = setmetatable({}, {__concat = function(a, b) return type(a) .. type(b) end}) return {t .. 1, 1 .. t, 'a' .. t .. 1, t .. 1 .. 2} => *4 $tablenumber $numbertable $atablenumber $tablestring
	local t = setmetatable({}, {__tostring = function() return 'T' end}) return tostring(t) => $T
	return loadstring('return 1e14 .. ""')() => $1e+14
	return load(coroutine.wrap(function() coroutine.yield('return 1e14') coroutine.yield(' .. ""') end))() => $1e+14
	return loadstring('return ...')(5) => :5
	return tostring(loadstring('x y')) => $nil
	local function f(x) x = x .. 'a' return x end return f(1e14) => $1e+14a
	local function f(a, x) x = x .. 'a' return x end return f(1, 2) => $2a
	local function f(a, x) local y = x .. a return y .. y end return f(1, 2) => $2121
	local function f(...) return ... .. 'a' end return f(1, 2) => $1a
	local function f() return 1, 2 end return {f() .. 'a', ('b' .. f()), 'c' .. (f())} => *3 $1a $b1 $c1
	local function f(x) x = x + 1 return x end return f('5') => :6
	local function f(x) x = -x return x end return f('5') => :-5
	local x = 5 x = x .. '' return x => $5
	local x = '5' x = x + 1 return x => :6
	local a, b = 1 .. 2, 3 + '4' return {a, b} => *2 $12 :7
	local t = {n = 1} t.n = t.n .. 'x' t['y' .. 1] = '2' + 3 return {t.n, t.y1} => *2 $1x :5
	local s = '' for i = 1, 3 do s = s .. i end return s => $123
	return #('a' .. 1) => :2
	return ('a' .. 1):upper() => $A1
	if 'a' .. 1 == 'a1' then return 'yes' end return 'no' => $yes
	return not ('a' .. 1) => $-1
	return ('a' .. 1) and ('b' .. 2) => $b2
	return nil or 1 .. '' => $1
	local x = false or '1' + 1 return x => :2
	while ('a' .. 1) ~= 'a1' do end return 1 => :1
	local i = 0 repeat i = i + '1' until i .. '' == '3' return i => :3
	for k, v in pairs({[1 .. ''] = '1' + 0}) do return {k, v} end => *2 $1 :1
	return {pcall(function() return 'a' .. nil end)} => *2 $-1 $user_script:1: attempt to concatenate a nil value
	return {pcall(function() return {} .. 'a' end)} => *2 $-1 $user_script:1: attempt to concatenate a table value
	return 'a' .. true => -ERR user_script:1: attempt to concatenate a boolean value script: 523ffaf379abfc2d03f89320ed20f7a17c3bbf1a, on @user_script:1.
	return redis.sha1hex(1e14) => $7f62ed7f334527bdf844e70c01294006d58593c7
	return redis.pcall('get', 1e14) => $-1
	local function f(x, y) y, x = y .. 'a', 1 return y end return f(5, 6) => $6a
	local y, x y, x = 1 .. 'a', 1 .. '' return {y, x} => *2 $1a $1
	return {(string.gsub('abc', '(b)(c)', function(a, b) return b .. a end)), (string.gsub('abc', 'b', {b = false})), (string.gsub('abc', 'b', function() end))} => *3 $acb $abc $abc
	return (string.gsub('abc', 'b', setmetatable({}, {__index = function(t, k) return k .. 1e14 end}))) => $ab1e+14c
	return string.char('065') => $A
	return math.random('5') < 6 => :1
	return tostring(math.sqrt('016')) => $4
	return string.format('%y', 1) => -ERR user_script:1: invalid option '%y' to 'format' script: 5f049edbcb538c8748f6d1d19449a7474c6106bf, on @user_script:1.
	return math.floor('010') => :10
	return ('x'):rep('010') => $xxxxxxxxxx
	return math.max('010', 1) => :10
	return tostring(10 == '10') => $false
	return cjson.encode({a=1.5}) => ${"a":1.5}
	return cjson.decode('1e14') .. '' => $1e+14
	return cjson.decode('{"a":1699999999999999}').a .. '' => $1.7e+15
`
