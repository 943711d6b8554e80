module github.com/lockpick-dev/lockpick/bench/lockbench/versions/redsync

go 1.26.0

require (
	github.com/lockpick-dev/lockpick v0.2.0
	github.com/lockpick-dev/lockpick/bench/lockbench v0.0.0
	github.com/lockpick-dev/lockpick/examples/trackrecord/redsync-v4.0.3 v0.0.0
	github.com/lockpick-dev/lockpick/real v0.2.0
)

require (
	github.com/alicebob/miniredis/v2 v2.40.0 // indirect
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f // indirect
	github.com/go-redsync/redsync/v4 v4.0.3 // indirect
	github.com/hashicorp/errwrap v1.0.0 // indirect
	github.com/hashicorp/go-multierror v1.1.0 // indirect
	github.com/jonboulle/clockwork v0.5.0 // indirect
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
	github.com/redis/go-redis/v9 v9.0.5 // indirect
	github.com/yuin/gopher-lua v1.1.1 // indirect
	github.com/zeebo/xxh3 v1.0.2 // indirect
)

replace (
	github.com/lockpick-dev/lockpick => ../../../..
	github.com/lockpick-dev/lockpick/bench/lockbench => ../..
	github.com/lockpick-dev/lockpick/etcd => ../../../../etcd
	github.com/lockpick-dev/lockpick/etcd/store => ../../../../etcd/store
	github.com/lockpick-dev/lockpick/examples/trackrecord/redsync-v4.0.3 => ../../../../examples/trackrecord/redsync-v4.0.3
	github.com/lockpick-dev/lockpick/kube => ../../../../kube
	github.com/lockpick-dev/lockpick/mysql => ../../../../mysql
	github.com/lockpick-dev/lockpick/postgres => ../../../../postgres
	github.com/lockpick-dev/lockpick/real => ../../../../real
	github.com/lockpick-dev/lockpick/s3 => ../../../../s3
	github.com/lockpick-dev/lockpick/zookeeper => ../../../../zookeeper
)
