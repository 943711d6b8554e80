module github.com/lockpick-dev/lockpick/examples/trackrecord/go-redis-v9.18.0

go 1.26

require (
	github.com/lockpick-dev/lockpick v0.0.0
	github.com/lockpick-dev/lockpick/examples/trackrecord/go-redis-v9.17.3 v0.0.0
)

require (
	github.com/alicebob/miniredis/v2 v2.40.0 // indirect
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f // indirect
	github.com/jonboulle/clockwork v0.5.0 // indirect
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
	github.com/redis/go-redis/v9 v9.18.0 // indirect
	github.com/yuin/gopher-lua v1.1.1 // indirect
	github.com/zeebo/xxh3 v1.0.2 // indirect
	go.uber.org/atomic v1.11.0 // indirect
)

replace github.com/lockpick-dev/lockpick => ../../..

replace github.com/lockpick-dev/lockpick/examples/trackrecord/go-redis-v9.17.3 => ../go-redis-v9.17.3
