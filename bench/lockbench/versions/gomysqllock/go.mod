module github.com/lockpick-dev/lockpick/bench/lockbench/versions/gomysqllock

go 1.26.0

require (
	github.com/lockpick-dev/lockpick v0.2.0
	github.com/lockpick-dev/lockpick/bench/lockbench v0.0.0
	github.com/lockpick-dev/lockpick/examples/trackrecord/go-mysql-lock-v0.0.6 v0.0.0
	github.com/lockpick-dev/lockpick/mysql v0.2.0
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/go-sql-driver/mysql v1.10.1 // indirect
	github.com/jonboulle/clockwork v0.5.0 // indirect
	github.com/lockpick-dev/lockpick/real v0.2.0 // indirect
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
	github.com/sanketplus/go-mysql-lock v0.0.6 // indirect
)

replace (
	github.com/lockpick-dev/lockpick => ../../../..
	github.com/lockpick-dev/lockpick/bench/lockbench => ../..
	github.com/lockpick-dev/lockpick/etcd => ../../../../etcd
	github.com/lockpick-dev/lockpick/etcd/store => ../../../../etcd/store
	github.com/lockpick-dev/lockpick/examples/trackrecord/go-mysql-lock-v0.0.6 => ../../../../examples/trackrecord/go-mysql-lock-v0.0.6
	github.com/lockpick-dev/lockpick/kube => ../../../../kube
	github.com/lockpick-dev/lockpick/mysql => ../../../../mysql
	github.com/lockpick-dev/lockpick/postgres => ../../../../postgres
	github.com/lockpick-dev/lockpick/real => ../../../../real
	github.com/lockpick-dev/lockpick/s3 => ../../../../s3
	github.com/lockpick-dev/lockpick/zookeeper => ../../../../zookeeper
)
