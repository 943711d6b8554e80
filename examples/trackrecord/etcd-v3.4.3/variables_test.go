package etcd_test

import (
	"math/rand"
	_ "unsafe" // for go:linkname

	_ "go.etcd.io/etcd/clientv3" // has initialized its variables before
)

// valCtxCh is a channel that never closes, which watches wait for. The library makes it
// outside of every bubble of testing/synctest: virtual time would stand still from the first
// watch on. A nil channel never closes either.
//
//go:linkname valCtxCh go.etcd.io/etcd/clientv3.valCtxCh
var valCtxCh chan struct{}

// jitterFraction is the random part of waits before a call is made again.
//
//go:linkname jitterFraction go.etcd.io/etcd/clientv3.defaultBackoffJitterFraction
var jitterFraction float64

// grpcRandom is what gRPC draws the random part of waits before new attempts to connect from.
//
//go:linkname grpcRandom google.golang.org/grpc/internal/grpcrand.r
var grpcRandom *rand.Rand

func init() {
	if valCtxCh == nil || jitterFraction == 0 || grpcRandom == nil {
		panic("this is not the version of etcd's client, or of gRPC, that is tested here")
	}
	valCtxCh, jitterFraction, grpcRandom = nil, 0, rand.New(middle{})
}

// middle is a source of random numbers that are all one half, so that waits are as long as
// they are without a random part.
type middle struct{}

// Int63 is half of its range.
func (middle) Int63() int64 { return 1 << 62 }

func (middle) Seed(int64) {}
