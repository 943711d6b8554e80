package real

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"google.golang.org/grpc/encoding"
	"slices"
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/lockpick-dev/lockpick/real/confirm"
)

// peer writes frames as a library does, with the tables of header fields.
type peer struct {
	sent   bytes.Buffer
	framer *http2.Framer
	block  bytes.Buffer
	fields *hpack.Encoder
}

func newPeer() *peer {
	p := &peer{}
	p.framer = http2.NewFramer(&p.sent, nil)
	p.fields = hpack.NewEncoder(&p.block)
	return p
}

// headers begins a call, or answers it; with end it ends the sender's half.
func (p *peer) headers(stream uint32, end bool, fields ...string) {
	p.block.Reset()
	for pair := range slices.Chunk(fields, 2) {
		_ = p.fields.WriteField(hpack.HeaderField{Name: pair[0], Value: pair[1]}) // a buffer takes everything
	}
	_ = p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: p.block.Bytes(), EndHeaders: true, EndStream: end})
}

func (p *peer) call(stream uint32, method string) {
	p.headers(stream, false, ":method", "POST", ":scheme", "http", ":path", "/etcdserverpb."+method, "te", "trailers", "user-agent", "somebody")
}

func (p *peer) message(stream uint32, end bool, m any) {
	sent, _ := encoding.GetCodecV2("proto").Marshal(m) // it is one of the library's
	b := sent.Materialize()
	_ = p.framer.WriteData(stream, end, append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(b))), b...))
}

// told are the messages in words.
func (p *peer) told(t *testing.T, read func([]byte) ([]confirm.Message, error)) (words []string) {
	t.Helper()
	sent := bytes.Clone(p.sent.Bytes())
	p.sent.Reset()
	var all []byte
	for part := range slices.Chunk(sent, 11) {
		list, err := read(part)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			all = append(all, m.Bytes...)
			if m.Signature != "" || m.Number != 0 {
				words = append(words, strings.TrimSpace(fmt.Sprintf("%d %s", m.Number, m.Signature)))
			}
		}
	}
	if !bytes.Equal(all, sent) {
		t.Errorf("other bytes are passed on")
	}
	return words
}

// TestConversation: which messages are requests, what they ask for, which answers are theirs, and what comes unasked.
func TestConversation(t *testing.T) {
	talk, client, server := Store.Converse(), newPeer(), newPeer()
	client.sent.WriteString(http2.ClientPreface)
	_ = client.framer.WriteSettings()
	client.call(1, "Lease/LeaseGrant")
	client.message(1, true, &pb.LeaseGrantRequest{TTL: 2})
	client.call(3, "Watch/Watch")
	client.message(3, false, create("/lock/694d9a8f0c1b2a05"))
	client.call(5, "KV/Txn")
	client.message(5, true, &pb.TxnRequest{
		Compare: []*pb.Compare{{Key: []byte("/lock/694d9a8f0c1b2a07"), Target: pb.Compare_CREATE}},
		Success: []*pb.RequestOp{
			{Request: &pb.RequestOp_RequestPut{RequestPut: &pb.PutRequest{Key: []byte("/lock/694d9a8f0c1b2a07")}}},
			{Request: &pb.RequestOp_RequestRange{RequestRange: &pb.RangeRequest{Key: []byte("/lock/"), RangeEnd: []byte("/lock0")}}},
		},
		Failure: []*pb.RequestOp{{Request: &pb.RequestOp_RequestRange{RequestRange: &pb.RangeRequest{Key: []byte("/lock/"), RangeEnd: []byte("/lock0")}}}},
	})
	client.message(3, false, create("/lock/write/946684800001200005"))
	_ = client.framer.WritePing(true, [8]byte{})
	want := []string{"1 LeaseGrant", "2 Watch /lock/*", "3 Txn get /lock/…/lock0, if create /lock/*, put /lock/*", "4 Watch /lock/write/*"}
	if got := client.told(t, talk.Client); !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
	_ = server.framer.WriteSettings()
	server.headers(3, false, ":status", "200", "content-type", "application/grpc")
	server.headers(5, false, ":status", "200", "content-type", "application/grpc")
	server.message(3, false, &pb.WatchResponse{Created: true})
	server.message(3, false, &pb.WatchResponse{Events: []*mvccpb.Event{{Type: mvccpb.DELETE, Kv: &mvccpb.KeyValue{Key: []byte("/lock/694d9a8f0c1b2a05")}}}})
	server.message(5, false, &pb.TxnResponse{Succeeded: true})
	server.headers(5, true, "grpc-status", "0")
	server.message(3, false, &pb.WatchResponse{})
	server.message(3, false, &pb.WatchResponse{Created: true})
	server.headers(1, true, ":status", "200", "grpc-status", "14", "grpc-message", "no leader")
	if got, want := server.told(t, talk.Server), []string{"2", "0 deleted /lock/*", "3", "4", "1"}; !slices.Equal(got, want) {
		t.Errorf("answers %q, want %q", got, want)
	}
}

// TestStreams: messages of one stream are answered in their order, and who gives a call up is told.
func TestStreams(t *testing.T) {
	talk, client, server := Store.Converse(), newPeer(), newPeer()
	client.call(1, "Lease/LeaseKeepAlive")
	client.message(1, false, &pb.LeaseKeepAliveRequest{ID: 7})
	client.message(1, false, &pb.LeaseKeepAliveRequest{ID: 8})
	client.call(3, "KV/DeleteRange")
	client.message(3, true, &pb.DeleteRangeRequest{Key: []byte("/lock/694d9a8f0c1b2a05")})
	_ = client.framer.WriteRSTStream(3, http2.ErrCodeCancel)
	want := []string{"1 LeaseKeepAlive", "2 LeaseKeepAlive", "3 DeleteRange /lock/*", "0 give up DeleteRange"}
	if got := client.told(t, talk.Client); !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
	server.headers(1, false, ":status", "200")
	server.message(1, false, &pb.LeaseKeepAliveResponse{ID: 7, TTL: 2})
	server.message(1, false, &pb.LeaseKeepAliveResponse{ID: 8, TTL: 2})
	if got, want := server.told(t, talk.Server), []string{"1", "2"}; !slices.Equal(got, want) {
		t.Errorf("answers %q, want %q", got, want)
	}
}

func create(key string) *pb.WatchRequest {
	return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: &pb.WatchCreateRequest{Key: []byte(key)}}}
}

// FuzzConversation: whatever both ends send, reading ends, and nothing is passed on that they have not sent.
func FuzzConversation(f *testing.F) {
	p := newPeer()
	p.call(1, "KV/Txn")
	p.message(1, true, &pb.TxnRequest{Compare: []*pb.Compare{{Key: []byte("a")}}})
	f.Add(bytes.Clone(p.sent.Bytes()), []byte{})
	p.headers(1, true, "grpc-status", "14")
	f.Add(bytes.Clone(p.sent.Bytes()), bytes.Clone(p.sent.Bytes()))
	f.Fuzz(func(t *testing.T, client, server []byte) {
		talk := Store.Converse()
		for _, half := range []struct {
			sent []byte
			read func([]byte) ([]confirm.Message, error)
		}{{client, talk.Client}, {server, talk.Server}} {
			list, _ := half.read(half.sent) // an error is as good
			var all []byte
			for _, m := range list {
				all = append(all, m.Bytes...)
			}
			if !bytes.HasPrefix(half.sent, all) {
				t.Errorf("%q of %q", all, half.sent)
			}
		}
	})
}
