package simredis

// connectionsTable are those of [fidelityTable] about what belongs to a connection:
// subscriptions, the protocol, and what one waits for.
var connectionsTable = []fidelityCase{
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
}
