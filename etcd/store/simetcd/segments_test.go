package simetcd

import (
	"bytes"
	"encoding/binary"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

// written has the frames of one segment.
type written struct {
	bytes.Buffer
	framer *http2.Framer
}

func segment(write func(w *written)) []byte {
	w := new(written)
	w.framer = http2.NewFramer(&w.Buffer, nil)
	write(w)
	return w.Bytes()
}

func (w *written) headers(stream uint32, ends bool, fields ...string) {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	e.SetMaxDynamicTableSize(0)
	for i := 0; i < len(fields); i += 2 {
		_ = e.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1], Sensitive: true})
	}
	_ = w.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: ends})
}

func (w *written) message(stream uint32, message []byte) {
	data := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	_ = w.framer.WriteData(stream, false, data)
}

// TestSegments: what goes over a connection is told in etcd's words, with the methods of calls
// that began before.
func TestSegments(t *testing.T) {
	watch, put := apis["watch"], apis["put"]
	begins := segment(func(w *written) { w.headers(1, false, ":path", watch.grpc) })
	events := []sim.Event{
		{Peer: "c1", Payload: segment(func(w *written) { w.Buffer.WriteString(http2.ClientPreface); _ = w.framer.WriteSettings() })},
		{Peer: "etcd1", Payload: segment(func(w *written) { _ = w.framer.WriteSettings(); _ = w.framer.WriteSettingsAck() })},
		{Peer: "c1", Payload: begins},
		{Peer: "c1", Payload: segment(func(w *written) {
			w.message(1, watch.ask.encode(object{"create_request": object{"key": text("a"), "start_revision": "7"}}))
			w.headers(3, false, ":path", put.grpc)
			w.message(3, put.ask.encode(object{"key": text("b")}))
		})},
		{Peer: "etcd1", Payload: segment(func(w *written) {
			w.headers(1, false, ":status", "200")
			w.message(1, marshal(&watchResponse{header: header{revision: 8}, id: 2, created: true}))
			w.headers(3, true, ":status", "200", "grpc-status", "14", "grpc-message", "etcdserver: no leader")
		})},
		{Peer: "etcd1", Payload: segment(func(w *written) { w.message(5, nil) })},
		{Peer: "c1", Payload: segment(func(w *written) { _ = w.framer.WriteRSTStream(1, http2.ErrCodeCancel) })},
		{Peer: "c1", Payload: []byte("ruok")},
	}
	for i := range events {
		events[i].Seq, events[i].Conn = int64(i+1), 1
	}
	for i, want := range []string{
		"settings", "settings; settings", "begin Watch", "watch a from revision 7; put b",
		"watch 2 begun, revision 8; error: etcdserver: no leader", "(a call that began before)", "give up Watch", "ruok",
	} {
		if got := payload.Of("etcd", events, &events[i]).Text; got != want {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
	events[3].Conn = 2 // where nothing began before
	if got, want := payload.Of("etcd", events, &events[3]).Text, "(a call that began before); put b"; got != want {
		t.Errorf("on another connection: %q, want %q", got, want)
	}
}

// FuzzSegments: any bytes may be told, after any others.
func FuzzSegments(f *testing.F) {
	f.Add(segment(func(w *written) { w.headers(1, false, ":path", apis["put"].grpc) }), segment(func(w *written) { w.message(1, nil) }))
	f.Add([]byte(http2.ClientPreface), segment(func(w *written) {
		w.headers(1, false, ":path", apis["txn"].grpc)
		w.message(1, nested(2500, true))
	}))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		events := []sim.Event{{Seq: 1, Conn: 1, Peer: "c1", Payload: before}, {Seq: 2, Conn: 1, Peer: "etcd1", Payload: after}}
		if text := payload.Of("etcd", events, &events[1]).Text; wording.Printable(text) != text || utf8.RuneCountInString(text) > payload.Most {
			t.Errorf("%q", text)
		}
	})
}
