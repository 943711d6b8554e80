package simzk

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
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
	f.Add([]byte("\x00\x00\x00\x0f\x00\x00\x00\x01\x00\x00\x00\x08\x00\x00\x00\x02/\x00\x00"))
	f.Fuzz(func(t *testing.T, segment []byte) {
		c := conversation{1: {opGetChildren, "c1"}}
		for _, from := range []string{"zk", "c1", "zk"} {
			text := c.read(&sim.Event{Peer: from, Payload: segment}).Text
			if wording.Printable(text) != text || utf8.RuneCountInString(text) > payload.Most {
				t.Errorf("%q", text)
			}
		}
	})
}

// TestAnswers: the body of an answer is read as that of what it answers. A stat is no list of names,
// whatever its bytes are, and neither is the content of a znode.
func TestAnswers(t *testing.T) {
	ask := func(op opcode, rest ...byte) []byte {
		var e encoder
		e.int(7)
		e.int(int32(op))
		e.string("/lock")
		return framed(append(e.frame, rest...))
	}
	var stat, names, content, created encoder
	for range 17 {
		stat.int(0)
	}
	// A stat has as many bytes: these look like a list of one name.
	looksLikeNames := append([]byte{0, 0, 0, 1, 0, 0, 0, 60}, make([]byte, 60)...)
	names.int(2)
	names.string("n-1")
	names.string("n-2")
	content.string("/not/a/path")
	content.frame = append(content.frame, stat.frame...)
	created.string("/lock/n-3")
	created.frame = append(created.frame, stat.frame...)
	for _, test := range []struct {
		request, body []byte
		want          string
		list          bool
	}{
		{ask(opExists, 0), looksLikeNames, "ok 0x5", false},
		{nil, looksLikeNames, "ok 0x5", false},
		{ask(opGetData, 0), content.frame, "ok 0x5", false},
		{ask(opGetChildren, 0), names.frame, "ok 0x5 n-1 n-2", true},
		{ask(opGetChildren2, 0), append(slices.Clone(names.frame), stat.frame...), "ok 0x5 n-1 n-2", true},
		{ask(opCreate2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), created.frame, "ok 0x5 /lock/n-3", false},
		{nil, created.frame, "ok 0x5", false}, // which may be the content of a znode
	} {
		answer := sim.Event{Seq: 2, Conn: 1, Peer: "zk", Payload: framed(reply(7, 5, codeOK, test.body))}
		events := []sim.Event{{Seq: 1, Conn: 1, Peer: "c1", Payload: test.request}, answer}
		if got := payload.Of("zookeeper", events, &answer); got.Text != test.want || got.List != test.list {
			t.Errorf("to %q %q is %+v, want %q", test.request, test.body, got, test.want)
		}
	}
}

// TestAside: the first frames of a connection, pings and events answer no request; replies do.
func TestAside(t *testing.T) {
	for frame, want := range map[string]bool{
		"\xff\xff\xff\xfe\x00\x00\x00\x0b":                                                  true,  // a ping
		"\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00":                  true,  // an event
		"\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x01a": false, // a reply
	} {
		segment := append([]byte{0, 0, 0, byte(len(frame))}, frame...)
		if got := (conversation{}).read(&sim.Event{Payload: segment}); got.Aside != want {
			t.Errorf("%q: %+v", frame, got)
		}
	}
}
