//go:build go1.26 && !go1.27 && !unreadable

package goruntime

import "unsafe"

// readNumber reads the number. Package goid prints it here, which takes longer than to serve a request.
func readNumber() uint64 { return *(*uint64)(unsafe.Add(g(), numberOfG)) }
