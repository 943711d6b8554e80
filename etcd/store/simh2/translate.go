package simh2

import (
	"encoding/binary"
	"slices"
)

// translation puts the client's numbers of streams into what a server sends.
type translation struct {
	numbers *numbers
	buf     []byte // what has come
	from    int    // where in it is what was not read yet
	ready   int    // until where it is translated
	body    int    // the rest of the frame whose header was translated last
}

// readSize is the least room for a read.
const readSize = 4 << 10

// room is where to read what comes next.
func (t *translation) room() []byte {
	t.buf = slices.Grow(t.buf, readSize)
	return t.buf[len(t.buf):cap(t.buf)]
}

// take hands out what is translated.
func (t *translation) take(b []byte) int {
	n := copy(b, t.buf[t.from:t.ready])
	if t.from += n; t.from == len(t.buf) {
		t.buf, t.from, t.ready = t.buf[:0], 0, 0
	}
	return n
}

// add translates n more bytes, as far as headers of frames are there.
func (t *translation) add(n int) error {
	t.buf = t.buf[:len(t.buf)+n]
	for {
		skip := min(t.body, len(t.buf)-t.ready)
		t.ready += skip
		t.body -= skip
		done, err := t.header(t.buf[t.ready:])
		if !done || err != nil {
			return err
		}
	}
}

// header translates a frame that b begins with, and lets its body follow. It answers false
// if there is too little of it.
func (t *translation) header(b []byte) (done bool, err error) {
	const lastStreamLen = 4
	if len(b) < headerLen || kind(b[3]) == kindGoAway && len(b) < headerLen+lastStreamLen {
		return false, nil
	}
	number, translate := b[5:headerLen], t.numbers.ofClient
	switch wire := streamOf(b); {
	case kind(b[3]) == kindPushPromise:
		return false, errorf(codeProtocol, "PUSH_PROMISE is not supported")
	case kind(b[3]) == kindGoAway:
		number, translate = b[headerLen:headerLen+lastStreamLen], t.numbers.lastOfClient
	case wire == 0:
		translate = func(uint32) (uint32, error) { return 0, nil }
	}
	client, err := translate(binary.BigEndian.Uint32(number) & maxStream)
	if err != nil {
		return false, err
	}
	binary.BigEndian.PutUint32(number, client)
	t.ready += headerLen
	t.body = bodyLen(b)
	return true, nil
}
