package real

import (
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec that every gRPC client and server uses
	"google.golang.org/grpc/mem"
)

// decode reads the bytes of a message as gRPC does, and returns whether they are one. Etcd's messages are made by one
// generator up to v3.6, and by another from v3.7; gRPC's codec reads both.
func decode(bytes []byte, message any) bool {
	return encoding.GetCodecV2("proto").Unmarshal(mem.BufferSlice{mem.SliceBuffer(bytes)}, message) == nil
}
