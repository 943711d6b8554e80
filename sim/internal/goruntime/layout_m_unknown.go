//go:build !(go1.26 && !go1.27 && (amd64 || arm64)) || unreadable

package goruntime

const mKnown = false

func readM() *thread { return nil }
