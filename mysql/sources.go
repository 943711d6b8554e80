package mysql

import "embed"

// Sources has the source code of the locks over MySQL and of how they are made, for simrun export.
//
//go:embed builtin sqllocks
var Sources embed.FS
