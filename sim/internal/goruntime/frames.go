//go:build go1.26 && !go1.27 && (amd64 || arm64) && !unreadable

package goruntime

import "unsafe"

// framesKnown reports whether there are frame pointers.
const framesKnown = true

// framePointer returns where the frame of the calling function has its caller's frame pointer.
func framePointer() unsafe.Pointer
