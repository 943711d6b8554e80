module github.com/lockpick-dev/lockpick/mysql

go 1.26.0

require (
	github.com/go-sql-driver/mysql v1.10.1
	github.com/jonboulle/clockwork v0.5.0
	github.com/lockpick-dev/lockpick v0.2.0
	github.com/lockpick-dev/lockpick/real v0.2.0
	pgregory.net/rapid v1.3.0
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
)

replace github.com/lockpick-dev/lockpick => ../

replace github.com/lockpick-dev/lockpick/real => ../real
