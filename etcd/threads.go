package etcd

import (
	"context"
	"strconv"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/lockpick-dev/lockpick/sim"
)

// threadKey is the metadata with the number of the thread that makes a call. It distinguishes
// equal calls of two threads at one instant.
const threadKey = "lockpick-thread"

// tag adds the number of the calling thread to the metadata of a call, in a process of
// several threads.
func tag(ctx context.Context, p *sim.Process) context.Context {
	thread, known := p.Thread()
	if !known {
		return ctx
	}
	if md, _ := metadata.FromOutgoingContext(ctx); len(md.Get(threadKey)) > 0 {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, threadKey, strconv.Itoa(thread))
}

// tagCall tags calls other than streams. The first thread opens the stream that keeps
// leases alive, for all threads, and [watches] tags the streams of watches.
func tagCall(p *sim.Process) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, request, answer any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		return invoke(tag(ctx, p), method, request, answer, cc, opts...)
	}
}
