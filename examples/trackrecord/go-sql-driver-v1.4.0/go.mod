module github.com/lockpick-dev/lockpick/examples/trackrecord/go-sql-driver-v1.4.0

go 1.26.0

require (
	github.com/lockpick-dev/lockpick v0.2.0
	github.com/lockpick-dev/lockpick/examples/trackrecord/go-sql-driver-v1.3.0 v0.0.0
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/go-sql-driver/mysql v1.10.1 // indirect
	github.com/jonboulle/clockwork v0.5.0 // indirect
	github.com/lockpick-dev/lockpick/mysql v0.2.0 // indirect
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
	google.golang.org/appengine v1.6.8 // indirect
)

replace github.com/lockpick-dev/lockpick => ../../..

// Lockpick asks for a newer driver; this one is compiled in.
replace github.com/go-sql-driver/mysql => github.com/go-sql-driver/mysql v1.4.0

replace github.com/lockpick-dev/lockpick/mysql => ../../../mysql

replace github.com/lockpick-dev/lockpick/examples/trackrecord/go-sql-driver-v1.3.0 => ../go-sql-driver-v1.3.0
