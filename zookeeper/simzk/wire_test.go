package simzk

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestConnect(t *testing.T) {
	want := connect{lastZxid: 5, timeout: 4 * time.Second, session: 7, password: []byte("password of 16 b")}
	frame := want.encode()
	got, err := parseConnect(frame)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	want.readOnly = true
	if got, err := parseConnect(append(frame, 1)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("of a newer client: %+v, %v, want %+v", got, err, want)
	}
	for n := range frame {
		if got, err := parseConnect(frame[:n]); err == nil {
			t.Errorf("its first %d bytes are %+v", n, got)
		}
	}
}

// TestFrames compares frames that a server sends byte for byte.
func TestFrames(t *testing.T) {
	for _, test := range []struct {
		name      string
		got, want []byte
	}{
		{"session", connectReply(4*time.Second, 0x0102, []byte("16 bytes of text")),
			[]byte("\x00\x00\x00\x00" + "\x00\x00\x0f\xa0" + "\x00\x00\x00\x00\x00\x00\x01\x02" + "\x00\x00\x00\x1016 bytes of text")},
		{"session that has expired", connectReply(0, 0, nil),
			append([]byte("\x00\x00\x00\x00"+"\x00\x00\x00\x00"+"\x00\x00\x00\x00\x00\x00\x00\x00"+"\x00\x00\x00\x10"), make([]byte, 16)...)},
		{"reply", reply(3, 0x0100000002, codeNoNode, nil),
			[]byte("\x00\x00\x00\x03" + "\x00\x00\x00\x01\x00\x00\x00\x02" + "\xff\xff\xff\x9b")},
		{"reply with a body", reply(3, 2, codeOK, []byte("body")),
			[]byte("\x00\x00\x00\x03" + "\x00\x00\x00\x00\x00\x00\x00\x02" + "\x00\x00\x00\x00" + "body")},
		{"event", event(eventDeleted, stateConnected, "/a"),
			[]byte("\xff\xff\xff\xff" + "\xff\xff\xff\xff\xff\xff\xff\xff" + "\x00\x00\x00\x00" + "\x00\x00\x00\x02" + "\x00\x00\x00\x03" + "\x00\x00\x00\x02/a")},
	} {
		if !bytes.Equal(test.got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, test.got, test.want)
		}
	}
}

// TestRequestBytes reads a request as go-zookeeper sends it.
func TestRequestBytes(t *testing.T) {
	frame := []byte("\x00\x00\x00\x09" + "\x00\x00\x00\x01" + "\x00\x00\x00\x02/a" + "\x00\x00\x00\x01x" +
		"\x00\x00\x00\x01" + "\x00\x00\x00\x1f" + "\x00\x00\x00\x05world" + "\x00\x00\x00\x06anyone" + "\x00\x00\x00\x03")
	want := &request{xid: 9, op: opCreate, path: "/a", data: []byte("x"), acl: world(permAll), flags: flagEphemeral | flagSequential}
	got, err := parseRequest(frame)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

// TestRequests: whatever a client asks, a server reads the same.
func TestRequests(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		for _, want := range drawRequests(rt) {
			want.xid = rapid.Int32().Draw(rt, "xid")
			for _, op := range want.ops {
				want.malformed = want.malformed || op.op == opSetACL // no multi may have it
			}
			if want.malformed {
				cut := want.encode()
				got, err := parseRequest(cut[:len(cut)-1])
				if header := (&request{xid: want.xid, op: want.op, malformed: true}); err != nil || !reflect.DeepEqual(got, header) {
					rt.Errorf("%v, %v, want %v", got, err, header)
				}
				continue
			}
			got, err := parseRequest(want.encode())
			if err != nil || !bytes.Equal(got.encode(), asServed(want).encode()) {
				rt.Errorf("%v, %v, want %v", got, err, want)
			}
		}
	})
}

// TestCreate2InMulti: a server takes it for a create, whose result has no stat.
func TestCreate2InMulti(t *testing.T) {
	r, err := parseRequest(multi(&request{op: opCreate2, path: "/a"}).encode())
	if err != nil || len(r.ops) != 1 || r.ops[0].op != opCreate {
		t.Errorf("%v, %v", r, err)
	}
}

// asServed is the request as a server understands it.
func asServed(r *request) *request {
	served := *r
	served.path = toUTF8(r.path)
	served.ops = nil
	for _, op := range r.ops {
		op := asServed(op)
		if op.op == opCreate2 {
			op.op = opCreate
		}
		served.ops = append(served.ops, op)
	}
	return &served
}

// toUTF8 is what a server makes of a string that need not be UTF-8.
func toUTF8(s string) string {
	var e encoder
	e.string(s)
	d := decoder{rest: e.frame}
	return d.string()
}

// FuzzRequest: a server makes something of any bytes, and what it understands
// it understands the same when it is told again.
func FuzzRequest(f *testing.F) {
	for seed := range 40 {
		for _, r := range rapid.Custom(drawRequests).Example(seed) {
			f.Add(r.encode())
		}
	}
	f.Add([]byte("\x00\x00\x00\x01\x00\x00\x00\x65\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, frame []byte) {
		r, err := parseRequest(frame)
		switch {
		case err != nil:
			if len(frame) >= 8 {
				t.Errorf("there is a header, and yet %v", err)
			}
			return
		case r.malformed, r.refused():
			return
		}
		again, err := parseRequest(r.encode())
		if err != nil || !bytes.Equal(again.encode(), r.encode()) {
			t.Errorf("%v, and again %v, %v", r, again, err)
		}
		s := newState()
		s.apply(newSessionTxn(1, time.Second, nil, 1, 1))
		if !r.writes() {
			s.read(r)
			return
		}
		before := s.clone()
		x := s.prepare(1, r, 2, 2)
		if c, _ := x.answer(s.apply(x)); c != codeOK && !reflect.DeepEqual(s.nodes, before.nodes) {
			t.Errorf("%v fails with %v and changes something", r, c)
		}
	})
}

// FuzzConnect: a server makes something of any bytes.
func FuzzConnect(f *testing.F) {
	f.Add(connect{lastZxid: 5, timeout: time.Second, session: 7, password: make([]byte, 16)}.encode())
	f.Fuzz(func(t *testing.T, frame []byte) {
		c, err := parseConnect(frame)
		if err != nil {
			return
		}
		again := c.encode()
		if c.readOnly {
			again = append(again, 1)
		}
		if d, err := parseConnect(again); err != nil || !reflect.DeepEqual(c, d) {
			t.Errorf("%+v, and again %+v, %v", c, d, err)
		}
	})
}

// TestHostileLengths: no length that a client writes makes a server set aside
// more memory than the client has sent.
func TestHostileLengths(t *testing.T) {
	for _, op := range []opcode{opCreate, opGetData, opSetData, opMulti, opSetWatches, opSetACL} {
		frame := (&request{op: op, path: "/a", data: []byte("x"), acl: world(permAll), ops: []*request{{op: opDelete, path: "/a"}}, dataWatches: []string{"/a"}}).encode()
		for at := 8; at+4 <= len(frame); at++ {
			hostile := bytes.Clone(frame)
			copy(hostile[at:], "\x7f\xff\xff\xff")
			if n := testing.AllocsPerRun(1, func() { _, _ = parseRequest(hostile) }); n > 100 {
				t.Errorf("%v with a length at byte %d: %v allocations", op, at, n)
			}
		}
	}
}
