package simzk

import (
	"errors"
	"time"
)

// This file reads frames for callers that have none of this package's servers at either end. A frame is without its
// length.

// Request is a frame of a client that is not its connection's first one.
type Request struct {
	// Number is that of its answer ([Answer]).
	Number int32
	// Op is the operation, such as "getChildren2", and Text has details as well, such as "getChildren2
	// /lock, watch".
	Op, Text string
}

// ReadRequest reads a request. It takes any bytes: an error means that they are not a
// request.
func ReadRequest(frame []byte) (Request, error) {
	r, err := parseRequest(frame)
	if err != nil {
		return Request{}, err
	}
	return Request{Number: r.xid, Op: r.op.String(), Text: r.text()}, nil
}

// Answer is a frame of a server that is not its connection's first one.
type Answer struct {
	// Number is that of the request, and below 0 for an event.
	Number int32
	// Event is what a watch reports, such as "/lock/n-1 deleted", and empty for what answers a request.
	Event string
	// Expired is set if the session has ended.
	Expired bool
	// Transaction is the number of the last transaction that the server knew, or of the one that the request was.
	Transaction int64
}

// ReadAnswer reads an answer or an event. It takes any bytes: an error means that they are neither.
func ReadAnswer(frame []byte) (Answer, error) {
	d := decoder{rest: frame}
	a := Answer{Number: d.int()}
	a.Transaction = d.long()
	a.Expired = code(d.int()) == codeSessionExpired
	if a.Number == xidOfEvents {
		a.Event = eventText(&d)
	}
	if d.bad {
		return Answer{}, errors.New("an answer that is cut off")
	}
	return a, nil
}

// ReadOpened reads the first frame of a server: the name of the session that its client has now, and its time-out. The
// name is empty if there is none, since it has ended.
func ReadOpened(frame []byte) (session string, timeout time.Duration) {
	d := decoder{rest: frame}
	d.int() // version of the protocol
	timeout = time.Duration(d.int()) * time.Millisecond
	if id := d.long(); id != 0 && !d.bad {
		return SessionName(id), timeout
	}
	return "", 0
}
