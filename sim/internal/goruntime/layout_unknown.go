//go:build !(go1.26 && !go1.27 && (amd64 || arm64 || wasm)) || unreadable

package goruntime

const layoutKnown = false

func readParent() uint64 { return 0 }

type bubble struct{}

func readBubble() *bubble { return nil }

func (*bubble) firstTimer() int64    { return 0 }
func (*bubble) modifiedTimer() int64 { return 0 }

func (*bubble) now() int64     { return 0 }
func (*bubble) total() int64   { return 0 }
func (*bubble) running() int64 { return 0 }
func (*bubble) active() int64  { return 0 }
