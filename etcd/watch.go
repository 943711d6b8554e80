package etcd

import (
	_ "unsafe" // for go:linkname

	_ "go.etcd.io/etcd/client/v3" // has initialized the variable before
)

// valCtxCh is a channel that never closes, which the library's watches use for the Done of
// their contexts. The library makes it when it is initialized, outside of every bubble of
// testing/synctest. A goroutine that waits for such a channel could be woken from outside,
// so virtual time would not pass from the first watch on. A nil channel never closes
// either, and belongs to no one.
//
//go:linkname valCtxCh go.etcd.io/etcd/client/v3.valCtxCh
var valCtxCh chan struct{}

func init() {
	if valCtxCh == nil {
		panic("etcd: this version of go.etcd.io/etcd/client/v3 has no valCtxCh: see how its watches wait now")
	}
	valCtxCh = nil
}
