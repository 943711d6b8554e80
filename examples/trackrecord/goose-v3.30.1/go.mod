module github.com/lockpick-dev/lockpick/examples/trackrecord/goose-v3.30.1

go 1.26.0

require (
	github.com/lockpick-dev/lockpick v0.2.0
	github.com/lockpick-dev/lockpick/examples/trackrecord/goose-v3.30.0 v0.0.0
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/pgx/v5 v5.13.0 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/jonboulle/clockwork v0.5.0 // indirect
	github.com/lib/pq v1.12.3 // indirect
	github.com/lockpick-dev/lockpick/postgres v0.0.0 // indirect
	github.com/petermattis/goid v0.0.0-20260820044319-269ab09b5261 // indirect
	github.com/pressly/goose/v3 v3.30.1 // indirect
	github.com/sethvargo/go-retry v0.5.0 // indirect
	go.uber.org/multierr v1.11.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/lockpick-dev/lockpick => ../../..

replace github.com/lockpick-dev/lockpick/postgres => ../../../postgres

replace github.com/lockpick-dev/lockpick/real => ../../../real

replace github.com/lockpick-dev/lockpick/examples/trackrecord/goose-v3.30.0 => ../goose-v3.30.0
