//go:build !(go1.26 && !go1.27 && (amd64 || arm64)) || unreadable

package goruntime

import "unsafe"

const framesKnown = false

// framePointer is nil: WebAssembly has no frame pointers, and of other builds they are not known.
func framePointer() unsafe.Pointer { return nil }
