package simzk

import (
	"encoding/binary"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

// framed are frames with their lengths.
func framed(frames ...[]byte) (segment []byte) {
	for _, f := range frames {
		segment = append(binary.BigEndian.AppendUint32(segment, uint32(len(f))), f...)
	}
	return segment
}

func TestPayload(t *testing.T) {
	read := func(op opcode, path string, watch bool) []byte {
		var e encoder
		e.int(7)
		e.int(int32(op))
		e.string(path)
		e.bool(watch)
		return e.frame
	}
	var created, ping, open encoder
	created.string("/lock/n-0000000003")
	ping.int(-2)
	ping.int(int32(opPing))
	open.int(0)
	open.long(0)
	open.int(2000)
	open.long(0)
	open.buffer(make([]byte, passwordLen))
	for _, test := range []struct {
		segment []byte
		want    string
	}{
		{framed(read(opExists, "/lock/a", true)), "exists /lock/a, watch"},
		{framed(read(opGetChildren2, "/lock", false), ping.frame), "getChildren2 /lock; ping"},
		{framed(reply(7, 1<<32|5, codeOK, created.frame)), "ok 0x100000005 /lock/n-0000000003"},
		{framed(reply(7, 3<<32|3, codeOK, nil)), "ok 0x300000003"},
		{framed(reply(7, 1<<32|5, codeNoNode, nil)), "NoNode"},
		{framed(event(eventDeleted, stateConnected, "/lock/a")), "event: /lock/a deleted"},
		{framed(open.frame), "connect, new session of 2s"},
		{framed(connectReply(2*time.Second, 1<<56|1, password(1))), "session 0x100000000000001 of 2000ms"},
		{framed(connectReply(0, 0, nil)), "session expired"},
		{framed(ping.frame)[:9], "(cut off)"},
		{[]byte("ruok"), "ruok"},
		{nil, ""},
	} {
		if got := payload.Of("zookeeper", nil, &sim.Event{Payload: test.segment}).Text; got != test.want {
			t.Errorf("%x: %q, want %q", test.segment, got, test.want)
		}
	}
}

func FuzzPayload(f *testing.F) {
	f.Add(framed(reply(1, 2, codeOK, nil)))
	f.Add([]byte{0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 14, 0})
	f.Fuzz(func(t *testing.T, segment []byte) {
		if text := readPayload(segment).Text; !utf8.ValidString(text) || utf8.RuneCountInString(text) > payload.Most {
			t.Errorf("%q", text)
		}
	})
}

// TestAside: the first frames of a connection, pings and events answer no request; replies do.
func TestAside(t *testing.T) {
	for frame, want := range map[string]bool{
		"\xff\xff\xff\xfe\x00\x00\x00\x0b":                                                  true,  // a ping
		"\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00":                  true,  // an event
		"\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x01a": false, // a reply
	} {
		segment := append([]byte{0, 0, 0, byte(len(frame))}, frame...)
		if got := readPayload(segment); got.Aside != want {
			t.Errorf("%q: %+v", frame, got)
		}
	}
}
