package kube

import "embed"

// Sources has the source code of the locks over Kubernetes and of their constructors, for simrun export.
//
//go:embed builtin kubelocks
var Sources embed.FS
