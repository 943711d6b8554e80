package scripts

// Tables make the tables of scripts, on a new server.
var Tables = []string{
	"CREATE TABLE t (id int PRIMARY KEY, k int UNIQUE, v int NOT NULL DEFAULT 0)",
	"CREATE TABLE c (a int, b int, v int NOT NULL DEFAULT 0, PRIMARY KEY (a, b))",
	"CREATE TABLE q (id serial PRIMARY KEY, job text NOT NULL, state text NOT NULL DEFAULT 'new', owner int, CHECK (owner > 0))",
	"CREATE UNIQUE INDEX q_held ON q (job) WHERE state = 'held'",
	"CREATE TABLE l (name text PRIMARY KEY, owner text, version bigint NOT NULL DEFAULT 1, expires_at timestamptz NOT NULL DEFAULT now())",
}

// Fill fills new tables.
var Fill = SetUp[2:]

// SetUp empties the tables and fills them, before each script.
var SetUp = []string{
	"DROP TABLE IF EXISTS w",
	"DELETE FROM t; DELETE FROM c; DELETE FROM q; DELETE FROM l; SELECT setval('q_id_seq', 1, false)",
	"INSERT INTO t VALUES (10, 10, 0), (20, 20, 0), (30, 30, 1)",
	"INSERT INTO c VALUES (1, 10, 0), (1, 20, 0), (2, 10, 0), (2, 20, 0), (3, 10, 0)",
	"INSERT INTO q (job, state, owner) VALUES ('a', 'new', NULL), ('a', 'held', 1), ('b', 'new', NULL), ('c', 'done', 2)",
	"INSERT INTO l (name, owner, expires_at) VALUES ('a', 'x', now() + interval '1 hour'), ('b', 'y', now() - interval '1 hour')",
}

// truncate is in place of the DELETEs of SetUp where old versions of rows are to go: it takes longer, but with many of them
// a server would use their places in the table again.
const truncate = "TRUNCATE t, c, q, l RESTART IDENTITY"

// left are the queries that show what is left.
var left = []string{"SELECT * FROM t", "SELECT * FROM c", "SELECT * FROM q", "SELECT name, owner, version, expires_at > now() AS lives FROM l"}
