//go:build !(go1.26 && !go1.27 && (amd64 || arm64)) || unreadable

package goruntime

import "unsafe"

const mKnown = false

func readM() thread { return thread{} }

func (*bubble) heap() []queuedTimer { return nil }

func rankOf(unsafe.Pointer) *uint32 { return nil }

func channelOf(unsafe.Pointer) uintptr { return 0 }

func periodOf(unsafe.Pointer) *int64 { return nil }
