package simredis

// fidelityTable are sequences that the random tests would hardly hit upon. A
// line is a command; "1>" before it means the second connection, and |bars|
// enclose a word with blanks.
var fidelityTable = []struct{ name, script string }{
	{"strings", `
		SET k v
		set K v2
		GeT k
		SET k v XX NX
		SET k v PX 100 EX 1
		SET k v EX
		SET k v EX 0
		SET k v PX -1
		SET k v EX x
		SET k v EX +5
		SET k v EX 9223372036854775807
		SET k v PX 9223372036854775807
		SET k v KEEPTTL EX 10
		SET k v PERSIST
		SET k v NX GET
		SET new v NX GET
		SET newer v XX GET
		EXISTS newer
		SET k w EX 100
		SET k w2 KEEPTTL
		TTL k
		SET k w3
		TTL k
		GETEX k EX 100
		TTL k
		GETEX k PERSIST
		TTL k
		GETEX k EX 0
		GETEX k FOO
		GETEX k EXAT 1
		GET k
		SETEX k 0 v
		PSETEX k -1 v
		SETEX k x v
		INCR k
		INCRBY k 9223372036854775807
		INCRBY k x
		DECRBY k -9223372036854775808
		SET n 5
		INCRBY n -7
		SET n 007
		INCR n
		GETSET n 8
		GETDEL n
		GETDEL n
		MSET a 1 b 2 a 3
		MGET a b c
		MSETNX c 1 a 2
		MGET a b c
		MSET a
		MSET a 1 b
		APPEND a x
		STRLEN a
		SETRANGE a 5 y
		GETRANGE a 0 -1
		GETRANGE a -1 -2
		SETRANGE a -1 y
		SETRANGE a 536870912 y`},
	{"expiry", `
		SET k v
		EXPIRE k x
		EXPIRE k 10 FOO
		EXPIRE k 10 NX XX
		EXPIRE k 10 NX GT
		EXPIRE k 10 GT LT
		EXPIRE nokey x
		EXPIRE nokey 10
		EXPIRE k 9223372036854775807
		PEXPIRE k 9223372036854775807
		EXPIRE k -9223372036854775807
		EXPIREAT k 4102444800 XX
		EXPIREAT k 4102444800 GT
		EXPIREAT k 4102444800 LT
		PEXPIRETIME k
		EXPIREAT k 4102444800 LT
		EXPIREAT k 4102444800 GT
		EXPIREAT k 4102444801 NX
		EXPIREAT k 4102444801 GT
		PEXPIREAT k 4102444800500
		EXPIRETIME k
		PEXPIRETIME k
		PERSIST k
		PERSIST k
		TTL k
		PTTL nokey
		EXPIRETIME k
		PEXPIRE k 0
		EXISTS k
		SET k v
		EXPIRE k -1
		GET k
		SET k v
		EXPIREAT k 1
		GET k
		SET k v PXAT 1
		GET k
		SETNX k w
		TTL k
		GET k
		LPUSH l a
		EXPIRE l 100
		LPUSH l b
		TTL l
		RPOP l
		RPOP l
		LPUSH l c
		TTL l
		RENAME l m
		EXPIRE m 100
		COPY m l
		TTL l
		SUNIONSTORE m nokey
		TTL m
		SADD s a
		EXPIRE s 100
		SADD t b
		SINTERSTORE s t t
		TTL s
		ZADD z 1 a
		EXPIRE z 100
		ZUNIONSTORE z 1 t
		TTL z
		SET k v EX 100
		GETSET k w
		TTL k
		SET k 1 EX 100
		INCR k
		APPEND k 2
		SETRANGE k 0 9
		TTL k
		MSET k v
		TTL k`},
	{"keys", `
		RENAME nokey k
		SET a 1
		RENAME a a
		RENAMENX a a
		RENAMENX a b
		RENAME b a
		COPY a a
		COPY a b FOO
		COPY a b DB
		COPY a b
		COPY a b
		COPY a b REPLACE
		KEYS *
		KEYS [ab]
		KEYS [^a]
		KEYS ?
		KEYS \a
		KEYS [a
		KEYS a*b
		DEL a b a
		DEL a
		TYPE a
		LPUSH l 1
		TYPE l
		TOUCH l a l
		FLUSHALL FOO
		FLUSHALL ASYNC SYNC
		FLUSHDB ASYNC
		DBSIZE
		RANDOMKEY
		UNLINK a`},
	{"collections", `
		ZADD z 0 b 0 a 0 c
		ZRANGEBYLEX z - +
		ZRANGEBYLEX z [a (c
		ZREVRANGEBYLEX z + -
		ZLEXCOUNT z (a +
		ZREMRANGEBYLEX z [b [b
		ZRANGE z 0 -1 WITHSCORES
		ZPOPMIN z 0
		ZPOPMIN z 5
		SINTERSTORE d nokey nokey
		SADD d x
		SPOP d
		SPOP d
		SRANDMEMBER d
		ZUNIONSTORE d 2 nokey nokey
		EXISTS d
		SADD s a b c
		ZUNIONSTORE s 2 s s AGGREGATE MAX
		TYPE s
		SADD s x
		ZADD s 1 a
		ZSCORE s a
		HSET h f v g w
		HGET h f
		HDEL h f g
		EXISTS h
		LPUSH l a
		LMOVE l l LEFT RIGHT
		LRANGE l 0 -1
		RPOPLPUSH l l2
		EXISTS l
		LRANGE l2 0 -1
		SET str x
		LPUSH str x
		SADD str x
		HSET str f v
		ZADD str 1 m
		GET l2
		INCR l2
		INCRBYFLOAT l2 x
		INCRBYFLOAT str x`},
	{"transactions", `
		MULTI
		SET k v
		GET k
		PING
		EVAL |return redis.call('incr', 'n')| 0
		ECHO hello
		TTL k
		EXEC
		EXEC
		DISCARD
		MULTI
		SET k w
		DISCARD
		GET k
		MULTI
		MULTI
		WATCH k
		SET k x
		EXEC
		MULTI
		SET k
		SET k y
		EXEC
		GET k
		MULTI
		CLIENT FOO
		EXEC
		MULTI
		SET k z EX x
		LPUSH k a
		SET k zz
		EXEC
		GET k
		MULTI
		EXEC
		MULTI
		EXEC foo
		EXEC
		MULTI
		UNWATCH
		SELECT 0
		TIME
		DISCARD foo
		EXEC`},
	{"watch", `
		SET k 1
		WATCH k
		MULTI
		SET k 2
		EXEC
		WATCH k
		1> SET k 3
		MULTI
		SET k 4
		EXEC
		GET k
		WATCH k
		1> SET k 3
		MULTI
		GET k
		EXEC
		WATCH nokey k
		1> SET nokey 1
		1> DEL nokey
		MULTI
		GET k
		EXEC
		WATCH k
		1> EXPIRE k 100
		MULTI
		GET k
		EXEC
		WATCH k
		1> FLUSHALL
		MULTI
		GET k
		EXEC
		SET k 1
		WATCH k
		1> SET k 2
		UNWATCH
		MULTI
		GET k
		EXEC
		WATCH k
		1> SET k 3
		MULTI
		DISCARD
		MULTI
		GET k
		EXEC
		WATCH k
		SET k own
		MULTI
		GET k
		EXEC
		WATCH k
		1> SET other 1
		1> GET k
		1> SETNX k 1
		MULTI
		GET k
		EXEC
		WATCH k
		1> EVAL |redis.call('set', 'k', 'script')| 0
		MULTI
		SET k
		EXEC
		MULTI
		GET k
		EXEC
		HSET h f v
		WATCH h
		1> HSET h f v
		MULTI
		GET k
		EXEC
		WATCH h
		1> HSETNX h f w
		MULTI
		GET k
		EXEC
		LPUSH l a
		WATCH l
		1> LSET l 9 x
		MULTI
		GET k
		EXEC
		WATCH past
		1> SET past v PXAT 1
		MULTI
		GET k
		EXEC`},
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
		EVAL |redis.call('set', 'k', 'v', 'px', 1500) return {redis.call('ttl', 'k'), redis.call('pttl', 'k') > 1000}| 0
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
	{"publish and subscribe", `
		SUBSCRIBE a b a
		PSUBSCRIBE a*
		GET k
		MULTI
		PING
		PING x
		PING x y
		SUBSCRIBE
		1> PUBLISH a 1
		1> PUBLISH ab 2
		1> PUBLISH c 3
		(drain)
		UNSUBSCRIBE a
		UNSUBSCRIBE a
		1> PUBLISH a 4
		(drain)
		PUNSUBSCRIBE
		UNSUBSCRIBE
		GET k
		UNSUBSCRIBE
		PUNSUBSCRIBE x
		1> PUBLISH a 5
		1> MULTI
		1> PUBLISH a 6
		SUBSCRIBE a
		1> PUBLISH a 7
		1> EXEC
		(drain)
		1> EVAL |return redis.call('publish', 'a', 'from a script')| 0
		(drain)
		2> PSUBSCRIBE |h[a-c]llo|
		2> PSUBSCRIBE h\?llo
		2> PSUBSCRIBE |[^x]?z*|
		2> PSUBSCRIBE |[\]]|
		1> PUBLISH hbllo 1
		2> (drain)
		1> PUBLISH h?llo 2
		2> (drain)
		1> PUBLISH abz 3
		1> PUBLISH xbz 4
		1> PUBLISH ] 5
		2> (drain)
		3> MULTI
		3> SUBSCRIBE x
		3> PING
		3> EXEC
		3> PING
		3> GET k
		4> PSUBSCRIBE x\
		1> PUBLISH x\ 1
		4> (drain)`},
	{"connections", `
		PING
		PING a
		PING a b
		ECHO x
		ECHO
		AUTH x
		AUTH default x
		AUTH foo x
		AUTH a b c
		HELLO x
		HELLO 4
		HELLO 2 FOO
		HELLO 2 AUTH foo x
		HELLO 2 SETNAME |a b|
		HELLO 2 SETNAME
		CLIENT
		CLIENT FOO
		CLIENT SETNAME
		CLIENT SETNAME |a b|
		CLIENT GETNAME
		CLIENT SETNAME me
		CLIENT GETNAME
		CLIENT ID x
		SELECT 0
		SELECT x
		ROLE x
		INFO
		TIME x
		GET
		GET a b
		SET a`},
	{"RESP3", `
		HELLO 3
		GET nokey
		SET k v
		GET k
		HSET h a 1
		HGETALL h
		SADD s a
		SMEMBERS s
		SINTER s s
		SPOP s
		ZADD z 1.5 a
		ZSCORE z a
		ZRANGE z 0 -1 WITHSCORES
		SUBSCRIBE c
		PSUBSCRIBE c*
		GET k
		PING
		PING x
		1> PUBLISH c 1
		(drain)
		UNSUBSCRIBE
		UNSUBSCRIBE
		PUNSUBSCRIBE
		WATCH k
		1> SET k w
		MULTI
		GET k
		EXEC
		EVAL |return {false, true, nil}| 0
		EVAL |return redis.call('hgetall', 'h')| 0
		EVAL |return nil| 0
		CLIENT GETNAME
		HELLO 2
		GET nokey`},
	{"wait", `
		WAIT
		WAIT 1
		WAIT 1 2 3
		WAIT 0 0
		SET k v
		WAIT 0 0
		WAIT -1 0
		WAIT 1 20
		WAIT 9223372036854775807 1
		WAIT 9223372036854775808 1
		WAIT x 1
		WAIT 1 x
		WAIT 1 1.5
		WAIT 1 +5
		WAIT 1 -1
		WAIT x -1
		WAIT 0 -1
		WAIT 1 9223372036854775808
		MULTI
		WAIT 1 0
		WAIT x 0
		SET k w
		WAIT 2 1000
		EXEC
		MULTI
		WAIT 1
		EXEC
		EVAL |return redis.call('wait', 0, 0)| 0
		EVAL |return redis.pcall('wait', '1')| 0
		SUBSCRIBE c
		WAIT 0 0`},
	{"known differences", `
		FOO a b
		XADD s * a b
		OBJECT ENCODING s
		CLIENT LIST
		CLIENT SETINFO lib-name x
		CLIENT SETINFO foo x
		TIME
		CLIENT ID
		SELECT 1
		SELECT 0
		SET a 1
		COPY a b DB 1
		FLUSHALL
		EVAL |return redis.call('foo')| 0
		EVAL |return x y| 0
		EVAL |if then| 0
		EVAL |return (| 0
		EVAL |local a = nil return a.b| 0
		EVAL |local a = 1 a()| 0
		EVAL |return 1 + {}| 0
		EVAL |return cjson.encode({})| 0
		EVAL |return cjson.encode(1e14)| 0
		EVAL |return type(bit)| 0
		EVAL |return redis.REDIS_VERSION| 0
		LINDEX l x
		LSET l x v
		LPOP l -1
		BITCOUNT k 0 x
		BITPOS k 3
		SINTERCARD 2 a b LIMIT x
		SET f 1.5
		INCRBYFLOAT f 9223372036854775807
		ZADD z 0.1 tenth
		ZSCORE z tenth`},
}
