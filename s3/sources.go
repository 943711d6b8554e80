package s3

import "embed"

// Sources has the source code of the locks over S3 and of their constructors, for simrun export.
//
//go:embed builtin s3locks
var Sources embed.FS
