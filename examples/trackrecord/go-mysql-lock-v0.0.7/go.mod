module github.com/lockpick-dev/lockpick/examples/trackrecord/go-mysql-lock-v0.0.7

go 1.26.0

require (
	github.com/lockpick-dev/lockpick v0.2.0
	github.com/lockpick-dev/lockpick/examples/trackrecord/go-mysql-lock-v0.0.6 v0.0.0
	github.com/lockpick-dev/lockpick/mysql v0.2.0
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/go-sql-driver/mysql v1.10.1 // indirect
	github.com/jonboulle/clockwork v0.5.0 // indirect
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
	github.com/sanketplus/go-mysql-lock v0.0.7 // indirect
)

replace github.com/lockpick-dev/lockpick => ../../..

replace github.com/lockpick-dev/lockpick/mysql => ../../../mysql

replace github.com/lockpick-dev/lockpick/examples/trackrecord/go-mysql-lock-v0.0.6 => ../go-mysql-lock-v0.0.6
