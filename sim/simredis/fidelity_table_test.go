package simredis

// fidelityCase is a sequence of commands that is tried here and on a real Redis.
type fidelityCase struct{ name, script string }

// fidelityTable are sequences that the random tests would hardly hit upon. A
// line is a command; "1>" before it means the second connection, and |bars|
// enclose a word with blanks.
var fidelityTable = []fidelityCase{
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
	{"scans", `
		SCAN 0
		MSET a 1 ab 2 b 3
		SADD s x y z 1
		HSET h f 1 g 2 x 3
		ZADD z 1 a 2 b 1.5 c
		SCAN 0
		SCAN 0 MATCH a*
		SCAN 0 COUNT 100
		SCAN 0 COUNT 100 MATCH b
		SCAN 0 MATCH nothing
		SCAN 0 TYPE string
		SCAN 0 TYPE zset
		SCAN 0 COUNT 0
		SCAN 0 COUNT x
		SCAN 0 MATCH
		SCAN 0 FOO 1
		SCAN x
		SCAN
		SSCAN s 0
		SSCAN s 0 MATCH [xy]
		SSCAN s 0 COUNT 10
		SSCAN nokey 0
		SSCAN a 0
		SSCAN s x
		SSCAN s 0 COUNT 0
		SSCAN s 0 FOO
		HSCAN h 0
		HSCAN h 0 MATCH f*
		HSCAN nokey 0
		HSCAN s 0
		HSCAN h x
		HSCAN h 0 COUNT x
		ZSCAN z 0
		ZSCAN z 0 MATCH [ab]
		ZSCAN z 0 COUNT 5
		ZSCAN nokey 0
		ZSCAN s 0
		ZSCAN z x
		ZSCAN z 0 FOO 1`},
	{"some at random", `
		HRANDFIELD nokey
		HRANDFIELD nokey 2
		HSET one f v
		HRANDFIELD one
		HRANDFIELD one 1
		HRANDFIELD one 1 WITHVALUES
		HRANDFIELD one -3
		HRANDFIELD one -2 WITHVALUES
		HRANDFIELD one 0
		HSET h f 1 g 2 x 3
		HRANDFIELD h 3
		HRANDFIELD h 5
		HRANDFIELD h 5 WITHVALUES
		HRANDFIELD h x
		HRANDFIELD h 1 FOO
		HRANDFIELD h 1 WITHVALUES FOO
		SET k v
		HRANDFIELD k
		ZRANDMEMBER nokey
		ZRANDMEMBER nokey 2
		ZADD z1 1 a
		ZRANDMEMBER z1
		ZRANDMEMBER z1 1
		ZRANDMEMBER z1 1 WITHSCORES
		ZRANDMEMBER z1 -3
		ZRANDMEMBER z1 -2 WITHSCORES
		ZRANDMEMBER z1 0
		ZADD z 1 a 2 b 1.5 c
		ZRANDMEMBER z 3
		ZRANDMEMBER z 5 WITHSCORES
		ZRANDMEMBER z x
		ZRANDMEMBER z 1 FOO
		ZRANDMEMBER z 1 WITHSCORES FOO
		ZRANDMEMBER k
		COMMAND COUNT
		COMMAND COUNT x
		1> QUIT`},
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
