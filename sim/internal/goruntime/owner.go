package goruntime

import (
	"context"
	"net"
	"unsafe"
)

// An owner marks goroutines by a label of package runtime/pprof, which the goroutines that they start inherit. Its first field is as that
// package's set of labels, so that profiles show it.
type owner struct {
	labels []label
	of     any
}

type label struct{ key, value string }

// ownerKey is the key of an owner's label.
const ownerKey = "lockpick process"

//go:linkname setProfLabel runtime/pprof.runtime_setProfLabel
func setProfLabel(labels unsafe.Pointer)

//go:linkname profLabel runtime/pprof.runtime_getProfLabel
func profLabel() unsafe.Pointer

// Own marks the calling goroutine, and those that it starts from now on, as goroutines of something that has a name. Without the overlay it does
// nothing: only dialers ask.
func Own(name string, of any) {
	if overlaidNet.dial == nil {
		return
	}
	setProfLabel(unsafe.Pointer(&owner{[]label{{ownerKey, name}}, of}))
}

// Disown takes the mark from the calling goroutine.
func Disown() {
	if overlaidNet.dial != nil {
		setProfLabel(nil)
	}
}

// Owner returns whose goroutine the caller is, nil if it has no mark, or has labels that somebody else has set.
func Owner() any {
	o := (*owner)(profLabel())
	if o == nil || len(o.labels) != 1 || o.labels[0].key != ownerKey {
		return nil
	}
	return o.of
}

// overlaidNet is package net's variable (internal/overlay/net.go.txt), and zero where the program was built without the overlay.
//
//go:linkname overlaidNet net.lockpickNet
var overlaidNet struct {
	version uint64
	dial    func(ctx context.Context, network, address string) (c net.Conn, simulated bool, err error)
}

// SetDial has the dialers of package net call a function first, in a program that was built with the overlay. It is called once, in an init function.
// Without the overlay it does nothing.
func SetDial(dial func(ctx context.Context, network, address string) (c net.Conn, simulated bool, err error)) {
	if overlaidNet.version == 1 {
		overlaidNet.dial = dial
	}
}
