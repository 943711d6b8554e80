package simredis

// scriptsTable are those of [fidelityTable] about scripts.
var scriptsTable = []fidelityCase{
	{"scripts", `
		EVAL |return 1| 0
		EVAL |return {1, 2, nil, 4}| 0
		EVAL |return {1.9, -1.9, 'a', true, false, {ok = 'fine'}, {err = 'bad thing'}}| 0
		EVAL |return KEYS[1] .. ARGV[2]| 1 a b c
		EVAL |return #KEYS + #ARGV| 2 a b c
		EVAL |return nil| 0
		EVAL |return| 0
		EVAL || 0
		EVAL |return 1| x
		EVAL |return 1| -1
		EVAL |return 1| 3 a
		EVAL |return 1|
		EVAL |return redis.call('set', KEYS[1], ARGV[1])| 1 k v
		EVAL |return redis.call('get', KEYS[1])| 1 k
		EVAL |return redis.call('get', KEYS[1])| 1 nokey
		EVAL |return redis.call('mget', 'k', 'nokey')| 0
		EVAL |return type(redis.call('get', 'nokey'))| 0
		EVAL |return redis.call('set', 'k', 'v', 'nx')| 0
		EVAL |return redis.call('SeT', 'k', 'v').ok| 0
		EVAL |return redis.call('get')| 0
		EVAL |return redis.pcall('get')| 0
		EVAL |return redis.call()| 0
		EVAL |return redis.call({})| 0
		EVAL |return redis.call('set', 'k', true)| 0
		EVAL |return redis.call('multi')| 0
		EVAL |return redis.call('watch', 'k')| 0
		EVAL |return redis.call('subscribe', 'c')| 0
		EVAL |return redis.call('eval', 'return 1', 0)| 0
		EVAL |return redis.call('client', 'id')| 0
		EVAL |return redis.call('lpush', 'k', 'x')| 0
		EVAL |return redis.pcall('lpush', 'k', 'x')| 0
		EVAL |return redis.pcall('lpush', 'k', 'x')['err']| 0
		EVAL |local ok, e = pcall(redis.call, 'lpush', 'k', 'x') return {tostring(ok), type(e), e}| 0
		EVAL |local ok, e = pcall(error, {code = 5}) return {tostring(ok), type(e), e.code}| 0
		EVAL |redis.call('set', 'half', 'done') redis.call('lpush', 'half', 'x') redis.call('set', 'half', 'twice')| 0
		GET half
		EVAL |return redis.error_reply('MY error')| 0
		EVAL |return redis.error_reply('-MY error')| 0
		EVAL |return redis.error_reply('error')| 0
		EVAL |return redis.error_reply(1, 2)| 0
		EVAL |return redis.status_reply('fine')| 0
		EVAL |return redis.sha1hex('')| 0
		EVAL |error('boo')| 0
		EVAL |error({err = 'BOO hoo'})| 0
		EVAL |return foo| 0
		EVAL |foo = 1| 0
		EVAL |KEYS = {}| 0
		EVAL |redis = nil| 0
		EVAL |string.x = 1| 0
		EVAL |KEYS[1] = 'x' return KEYS[1]| 1 a
		EVAL |return type(os)| 0
		EVAL |return math.random(1000) .. ' ' .. math.random(5, 1000)| 0
		EVAL |return math.random(1000)| 0
		EVAL |return math.floor(math.random() * 1000)| 0
		EVAL |math.random(5, 3)| 0
		EVAL |math.random(0)| 0
		EVAL |math.random(1, 2, 3)| 0
		EVAL |return redis.status_reply(1)| 0
		EVAL |return redis.sha1hex()| 0
		EVAL |redis.log(redis.LOG_DEBUG, 'x')| 0
		EVAL |redis.setresp(2)| 0
		EVAL |redis.set_repl(redis.REPL_ALL)| 0
		EVAL |return redis.replicate_commands()| 0
		EVAL |return {pcall(function() error('x') end)}| 0
		EVAL |return {pcall(function() return 1, 2 end)}| 0
		EVAL |math.randomseed(42) return math.random(1000000)| 0
		EVAL |return tostring(math.floor(3.7)) .. tostring(10 / 2)| 0
		EVAL |redis.call('set', 'n', 3.5) return redis.call('get', 'n')| 0
		EVAL |redis.call('set', 'n', 1e17) return redis.call('get', 'n')| 0
		EVAL |redis.call('set', 'n', 12345678901) return redis.call('incr', 'n')| 0
		EVAL |redis.call('set', 'k', 'v', 'px', 1800) return {redis.call('ttl', 'k'), redis.call('pttl', 'k') > 1000}| 0
		EVAL |return {redis.call('pexpire', 'k', 100000), redis.call('ttl', 'k'), redis.call('persist', 'k'), redis.call('ttl', 'k')}| 0
		EVAL |local s = 0 for _, v in ipairs(ARGV) do s = s + v end return s| 0 1 2 3
		EVAL |return cjson.encode({1, 2, {a = 'b'}})| 0
		EVAL |return cjson.decode('{"a": [1, 2, "x"]}').a[3]| 0
		EVAL |local t = {} for w in string.gmatch('a b c', '%a') do table.insert(t, w) end return t| 0
		EVAL |return redis.call('ping')| 0
		EVAL |return redis.call('echo', 'x')| 0
		EVAL |return redis.call('select', 0)| 0
		EVAL |return redis.call('exists', 'k', 'n', 'nokey')| 0
		EVAL_RO |return redis.call('get', KEYS[1])| 1 k
		EVAL_RO |return redis.call('set', KEYS[1], 'x')| 1 k
		EVAL_RO |return redis.pcall('set', KEYS[1], 'x')| 1 k
		EVAL_RO |return redis.call('multi')| 0`},
	{"script cache", `
		EVALSHA abc 0
		EVALSHA ffffffffffffffffffffffffffffffffffffffff 0
		EVALSHA abc x
		EVALSHA ffffffffffffffffffffffffffffffffffffffff x
		SCRIPT LOAD |return 'loaded'|
		EVALSHA b534286061d4b9e4026607613b95c06c06015ae8 0
		SCRIPT EXISTS b534286061d4b9e4026607613b95c06c06015ae8 ffffffffffffffffffffffffffffffffffffffff
		EVAL |error('fails')| 0
		SCRIPT EXISTS 68441c9a07d051b5bbeb06c36ca4d95e5c0931c9
		EVAL |return 1| 0
		EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0
		EVALSHA E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 0
		EVALSHA_RO e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0
		SCRIPT EXISTS E0E1F9FABFC9D4800C877A703B823AC0578FF8DB
		SCRIPT FLUSH
		EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0
		SCRIPT FLUSH FOO
		SCRIPT FLUSH SYNC
		SCRIPT FOO
		SCRIPT
		SCRIPT EXISTS
		SCRIPT LOAD
		SCRIPT LOAD |x y|`},
}
