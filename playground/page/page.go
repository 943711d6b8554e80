package page

import "embed"

// Files are the files of the page.
//
//go:embed index.html style.css *.js
var Files embed.FS
