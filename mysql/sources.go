package mysql

import "embed"

// Sources has the source code of the locks over MySQL and of their constructors, for simrun
// export.
//
//go:embed builtin sqllocks
var Sources embed.FS
