package simredis

// clusterTable has what locks meet in a Redis Cluster. Slots of keys: {a} 15495 on node 4, {b} 3300 on node 0, {c} 7365 on node 2; nodes 1, 3 and 5
// are the replicas of 0, 2 and 4.
var clusterTable = []struct {
	name   string
	slots  []int // that are moved, or opened
	script string
}{
	{name: "moved", script: `
		0> SET {a}k v
		GET {a}k
		SET {b}k v NX PX 60000
		GET {b}k
		4> SET {a}k v
		1> GET {b}k
		SET {b}k v
		3> MGET {a}k {a}l
	`},
	{name: "epochs", script: `
		0> CLUSTER BUMPEPOCH
		CLUSTER BUMPEPOCH
		CLUSTER BUMPEPOCH x
		CLUSTER FAILOVER
		CLUSTER FAILOVER SOON
	`},
	{name: "crossslot", script: `
		0> MGET {b}k {a}k
		MSET {b}k v {c}k v
		MSET {b}k v {c}k
		DEL {a}k {c}k
		RENAME {b}k {c}k
		EVAL |return 1| 2 {b}k {c}k
		EVAL |return 1| 2 {a}k {a}l
		EVAL |return KEYS[2]| 2 {b}k {b}l
		EVAL |return 1| 0
		EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 1 {a}k
		EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 1 {b}k
		EVAL |return 1| x {a}k
		EVAL |return 1| 5 {a}k
		EVAL |return 1| -1 {a}k
		BITOP AND {b}d {b}x {c}y
		SINTERCARD 2 {b}d {c}y
		ZUNIONSTORE {b}d 2 {b}x {c}y
		ZUNIONSTORE {c}d 1 {b}x
		LMPOP 1 {a}l LEFT
		SMOVE {b}d {c}y m
		COPY {b}d {c}y
	`},
	{name: "scripts", script: `
		0> EVAL |return redis.call('get', '{a}k')| 0
		EVAL |return redis.pcall('get', '{a}k')| 0
		EVAL |return redis.call('set', '{b}k', 'v')| 0
		EVAL |return redis.call('get', '{b}k')| 1 {b}other
		EVAL |redis.call('set', '{b}k', 'w') return redis.call('mget', '{b}k', '{c}k')| 0
		GET {b}k
		EVAL |return {redis.pcall('get', '{c}k'), redis.call('get', '{b}k')}| 0
		EVAL |return redis.call('incr', 'b')| 0
		SCRIPT LOAD |return redis.call('get', KEYS[1])|
		EVALSHA 4e6d8fc8bb01276962cce5371fa795a7763657ae 1 {b}k
		2> EVALSHA 4e6d8fc8bb01276962cce5371fa795a7763657ae 1 {c}k
		0> EVALSHA 4e6d8fc8bb01276962cce5371fa795a7763657ae 1 {c}k
		EVAL |return redis.call('publish', 'ch', 'm')| 0
		EVAL |return redis.call('spublish', '{b}ch', 'm')| 0
		EVAL |return redis.call('spublish', '{a}ch', 'm')| 0
		EVAL |return redis.call('cluster', 'keyslot', 'foo')| 0
	`},
	{name: "transactions", script: `
		0> MULTI
		SET {b}k v
		SET {a}k v
		EXEC
		GET {b}k
		MULTI
		SET {b}k v
		SET {b}l v
		EXEC
		MULTI
		GET {b}k
		GET b
		PING
		EXEC
		WATCH {a}k
		WATCH {b}k
		MULTI
		WATCH {a}k
		EXEC
		WATCH {b}k {c}k
		EXEC
		DISCARD
		MULTI
		DISCARD
		MULTI
		FOO
		GET {a}k
		DISCARD
	`},
	{name: "database", script: `
		0> SELECT 1
		SELECT 0
		SELECT x
		SELECT 16
		MULTI
		SELECT 1
		EXEC
		READONLY x
		ASKING
		READWRITE
		COPY {b}k {b}l DB 1
	`},
	{name: "read-only replica", script: `
		0> SET {b}k v
		0> (settled)
		1> GET {b}k
		READONLY
		GET {b}k
		SET {b}k w
		GET {a}k
		MGET {b}k {b}l
		EVAL |return redis.call('get', KEYS[1])| 1 {b}k
		EVAL |return redis.call('set', KEYS[1], 'x')| 1 {b}k
		EVAL |return redis.call('get', '{a}k')| 1 {b}k
		EVAL_RO |return redis.call('get', KEYS[1])| 1 {b}k
		MULTI
		GET {b}k
		EXEC
		MULTI
		GET {b}k
		SET {b}k w
		EXEC
		WATCH {b}k
		FLUSHALL
		READWRITE
		GET {b}k
		0> READONLY
		GET {b}k
		GET {a}k
	`},
	{name: "migrating", slots: []int{3300}, script: `
		0> SET {b}k v PX 100000
		SET {b}l w
		2> GET {b}k
		0> CLUSTER SETSLOT 3300 MIGRATING ID2
		2> CLUSTER SETSLOT 3300 IMPORTING ID0
		0> GET {b}k
		GET {b}none
		SET {b}none v NX
		MGET {b}k {b}none
		MGET {b}none {b}none2
		MGET {b}none {b}none
		MGET {b}k {b}l
		DEL {b}k {b}none
		EVAL |return 1| 1 {b}none
		EVAL |return redis.call('get', '{b}none')| 0
		EVAL |return redis.call('get', '{b}k')| 0
		MULTI
		GET {b}none
		EXEC
		MULTI
		GET {b}k
		GET {b}none
		EXEC
		2> GET {b}k
		ASKING
		GET {b}k
		GET {b}k
		ASKING
		SET {b}new v NX
		ASKING
		MGET {b}new {b}k
		ASKING
		MGET {b}new {b}new
		ASKING
		MULTI
		SET {b}new w
		GET {b}new
		EXEC
		GET {b}new
		ASKING
		EVAL |return redis.call('get', KEYS[1])| 1 {b}new
		ASKING
		EVAL |return redis.call('get', '{b}new')| 0
		EVAL |return redis.call('get', '{b}new')| 0
		ASKING
		PING
		GET {b}new
		ASKING
		FOO
		GET {b}new
		CLUSTER COUNTKEYSINSLOT 3300
		CLUSTER GETKEYSINSLOT 3300 10
		0> CLUSTER NODES
		2> CLUSTER NODES
		4> CLUSTER NODES
		1> CLUSTER NODES
		0> CLUSTER SLOTS
	`},
	{name: "two values of one key", slots: []int{3300}, script: `
		0> SET {b}lock first NX PX 60000
		CLUSTER SETSLOT 3300 MIGRATING ID2
		2> CLUSTER SETSLOT 3300 IMPORTING ID0
		ASKING
		SET {b}lock second NX PX 60000
		0> GET {b}lock
		MIGRATE HOST2 PORT2 {b}lock 0 5000
		GET {b}lock
		2> ASKING
		GET {b}lock
		0> MIGRATE HOST2 PORT2 {b}lock 0 5000 REPLACE
		GET {b}lock
		PTTL {b}lock
		2> ASKING
		GET {b}lock
		ASKING
		PTTL {b}lock
		0> MIGRATE HOST2 PORT2 {b}lock 0 5000 REPLACE
		MIGRATE HOST2 PORT2 || 0 5000 KEYS {b}x {b}y
		SET {b}x 1
		CLUSTER SETSLOT 3300 STABLE
		SET {b}x 1 PX 10000
		SET {b}y 2
		MIGRATE HOST2 PORT2 {b}x 0 5000
		CLUSTER SETSLOT 3300 MIGRATING ID2
		MIGRATE HOST2 PORT2 || 0 5000 KEYS {b}x {b}y {b}z
		EXISTS {b}x
		2> ASKING
		GET {b}x
		0> CLUSTER COUNTKEYSINSLOT 3300
		2> CLUSTER SETSLOT 3300 NODE ID2
		0> (settled)
		0> GET {b}x
		2> GET {b}x
		GET {b}y
		PTTL {b}x
		4> GET {b}x
		0> CLUSTER SETSLOT 3300 NODE ID2
		CLUSTER SLOTS
		CLUSTER NODES
		2> CLUSTER SHARDS
		1> GET {b}x
		3> READONLY
		GET {b}x
	`},
	{name: "keys left behind", slots: []int{3300}, script: `
		0> SET {b}k v
		CLUSTER SETSLOT 3300 MIGRATING ID2
		CLUSTER SETSLOT 3300 NODE ID2
		2> CLUSTER SETSLOT 3300 IMPORTING ID0
		CLUSTER SETSLOT 3300 NODE ID2
		0> (settled)
		0> CLUSTER COUNTKEYSINSLOT 3300
		GET {b}k
		2> GET {b}k
		0> CLUSTER NODES
	`},
	{name: "source first", slots: []int{3300}, script: `
		0> CLUSTER SETSLOT 3300 MIGRATING ID2
		2> CLUSTER SETSLOT 3300 IMPORTING ID0
		0> CLUSTER SETSLOT 3300 NODE ID2
		GET {b}k
		2> GET {b}k
		ASKING
		SET {b}k v
		CLUSTER SETSLOT 3300 NODE ID2
		GET {b}k
		0> (settled)
		4> GET {b}k
		0> GET {b}k
	`},
	{name: "copy", slots: []int{3300}, script: `
		0> SET {b}k v
		CLUSTER SETSLOT 3300 MIGRATING ID4
		4> CLUSTER SETSLOT 3300 IMPORTING ID0
		0> MIGRATE HOST4 PORT4 {b}k 0 5000 COPY
		MIGRATE HOST4 PORT4 {b}k 0 5000 COPY
		MIGRATE HOST4 PORT4 {b}k 0 5000 COPY REPLACE
		GET {b}k
		4> ASKING
		GET {b}k
		0> MIGRATE HOST5 PORT5 {b}k 0 5000 REPLACE
		MIGRATE HOST4 PORT4 {b}k 0 5000 FOO
		MIGRATE HOST4 PORT4 {b}k 0 x
		MIGRATE HOST4 PORT4 {b}k x 100
		MIGRATE HOST4 PORT4 {b}k 0 100 KEYS {b}k
		MIGRATE HOST4 PORT4 {b}k 1 100
		MIGRATE HOST4 PORT4 {b}k 0 100 AUTH
		MIGRATE HOST4 PORT4 {a}k 0 100
		MIGRATE HOST4 PORT4 || 0 100 KEYS {b}k {a}k
		MIGRATE HOST4 PORT4 || 0 100
		MIGRATE HOST4 PORT4
	`},
	{name: "setslot", slots: []int{3300, 15495}, script: `
		0> CLUSTER SETSLOT 3300 MIGRATING nosuch
		CLUSTER SETSLOT 3300 IMPORTING ID2
		CLUSTER SETSLOT 15495 MIGRATING ID2
		CLUSTER SETSLOT 15495 IMPORTING nosuch
		CLUSTER SETSLOT 3300 MIGRATING ID3
		CLUSTER SETSLOT 15495 IMPORTING ID5
		CLUSTER SETSLOT 3300 NODE nosuch
		CLUSTER SETSLOT 3300 NODE ID1
		CLUSTER SETSLOT 16384 STABLE
		CLUSTER SETSLOT -1 STABLE
		CLUSTER SETSLOT x STABLE
		CLUSTER SETSLOT 3300 FOO
		CLUSTER SETSLOT 3300 STABLE ID2
		CLUSTER SETSLOT 3300 MIGRATING
		CLUSTER SETSLOT 3300
		CLUSTER SETSLOT 3300 NODE ID0
		1> CLUSTER SETSLOT 3300 MIGRATING ID2
		CLUSTER SETSLOT x MIGRATING ID2
	`},
	{name: "cluster commands", script: `
		0> SET {b}1 v
		SET {b}2 v
		CLUSTER KEYSLOT foo
		CLUSTER KEYSLOT |{b}|
		CLUSTER KEYSLOT a{}{b}
		CLUSTER MYID
		CLUSTER COUNTKEYSINSLOT 3300
		CLUSTER COUNTKEYSINSLOT 16384
		CLUSTER COUNTKEYSINSLOT -1
		CLUSTER COUNTKEYSINSLOT x
		CLUSTER GETKEYSINSLOT 3300 10
		CLUSTER GETKEYSINSLOT 3300 0
		CLUSTER GETKEYSINSLOT 3300 -1
		CLUSTER GETKEYSINSLOT 99999 1
		CLUSTER GETKEYSINSLOT 3300 x
		CLUSTER INFO
		CLUSTER NODES
		CLUSTER SLOTS
		CLUSTER SHARDS
		CLUSTER REPLICAS ID0
		CLUSTER SLAVES ID2
		CLUSTER REPLICAS ID1
		CLUSTER REPLICAS nosuch
		CLUSTER COUNT-FAILURE-REPORTS ID2
		CLUSTER COUNT-FAILURE-REPORTS nosuch
		CLUSTER KEYSLOT
		CLUSTER
		HELLO 3
		CLUSTER SLOTS
		CLUSTER SHARDS
		CLUSTER NODES
		CLUSTER INFO
		CLUSTER REPLICAS ID0
		1> CLUSTER NODES
		CLUSTER INFO
		CLUSTER SLOTS
	`},
	{name: "publish", script: `
		0> SUBSCRIBE ch
		2> PSUBSCRIBE c*
		1> SUBSCRIBE ch
		4> PUBLISH ch one
		0> (settled)
		0> (drain)
		2> (drain)
		1> (drain)
		0.1> PUBLISH ch two
		0> (settled)
		0> (drain)
		2> (drain)
		1> (drain)
		1.1> PUBLISH ch three
		0> (settled)
		0> (drain)
		2> (drain)
	`},
	{name: "sharded", slots: []int{3300}, script: `
		0> SSUBSCRIBE {a}ch
		SSUBSCRIBE {b}ch {b}other
		SSUBSCRIBE {b}ch {a}ch
		SUBSCRIBE plain
		1> SSUBSCRIBE {b}ch
		0.1> SPUBLISH {b}ch one
		SPUBLISH {a}ch one
		PUBLISH {b}ch nobody
		0> (settled)
		0> (drain)
		1> (drain)
		1.1> SPUBLISH {b}ch two
		0> (settled)
		0> (drain)
		1> (drain)
		0> GET {b}k
		SUNSUBSCRIBE {b}other
		SUNSUBSCRIBE nosuch
		SUNSUBSCRIBE {a}ch
		0.1> CLUSTER SETSLOT 3300 MIGRATING ID2
		2> CLUSTER SETSLOT 3300 IMPORTING ID0
		0.1> SPUBLISH {b}ch three
		2> SPUBLISH {b}ch four
		SSUBSCRIBE {b}ch
		0> (settled)
		2.1> CLUSTER SETSLOT 3300 NODE ID2
		0> (settled)
		0> (drain)
		1> (drain)
		0> SSUBSCRIBE {b}ch
		2> SSUBSCRIBE {b}ch
		2.1> SPUBLISH {b}ch five
		0> (settled)
		2> (drain)
		0> SUNSUBSCRIBE
		UNSUBSCRIBE
		GET {b}k
	`},
	{name: "commands without keys", script: `
		0> COMMAND GETKEYS GET k
		COMMAND GETKEYS MSET a 1 b 2
		COMMAND GETKEYS EVAL s 2 a b c
		COMMAND GETKEYS EVAL s 0
		COMMAND GETKEYS ZUNIONSTORE d 2 a b WEIGHTS 1 2
		COMMAND GETKEYS LMPOP 2 a b LEFT
		COMMAND GETKEYS PING x
		COMMAND GETKEYS GET
		COMMAND GETKEYS nosuch a
		COMMAND GETKEYS BITOP AND d a b
		COMMAND GETKEYS MIGRATE h p k 0 10
		COMMAND GETKEYS MIGRATE h p || 0 10 KEYS a b
		COMMAND INFO nosuch
		DBSIZE
		KEYS *
		PING
		ECHO x
		SET {b}k v
		WAIT 1 5000
		ROLE x
	`},
}
