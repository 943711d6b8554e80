module github.com/lockpick-dev/lockpick/examples/trackrecord/river-v0.0.20

go 1.26.0

require (
	github.com/lockpick-dev/lockpick v0.2.0
	github.com/riverqueue/river/lockpick v0.0.0
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
	github.com/riverqueue/river v0.0.20 // indirect
	github.com/riverqueue/river/riverdriver v0.0.20 // indirect
	golang.org/x/exp v0.0.0-20230522175609-2e198f4a06a1 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/text v0.41.0 // indirect
)

replace github.com/lockpick-dev/lockpick => ../../..

replace github.com/lockpick-dev/lockpick/postgres => ../../../postgres

replace github.com/lockpick-dev/lockpick/real => ../../../real

replace github.com/riverqueue/river/lockpick => ../river-v0.0.18
