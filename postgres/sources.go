package postgres

import "embed"

// Sources has the source code of the locks over PostgreSQL and of their constructors, for simrun export.
//
//go:embed builtin pglocks
var Sources embed.FS
