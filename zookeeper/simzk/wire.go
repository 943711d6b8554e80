package simzk

import (
	"errors"
	"strconv"
	"time"
)

// opcode is the type of a request.
type opcode int32

const (
	opCreate          opcode = 1
	opDelete          opcode = 2
	opExists          opcode = 3
	opGetData         opcode = 4
	opSetData         opcode = 5
	opGetACL          opcode = 6
	opSetACL          opcode = 7
	opGetChildren     opcode = 8
	opSync            opcode = 9
	opPing            opcode = 11
	opGetChildren2    opcode = 12
	opCheck           opcode = 13
	opMulti           opcode = 14
	opCreate2         opcode = 15
	opReconfig        opcode = 16
	opCreateContainer opcode = 19
	opCreateTTL       opcode = 21
	opSetAuth         opcode = 100
	opSetWatches      opcode = 101
	opSetWatches2     opcode = 105
	opAddWatch        opcode = 106
	opCreateSession   opcode = -10
	opClose           opcode = -11
	opError           opcode = -1
)

var opNames = map[opcode]string{
	opCreate:          "create",
	opDelete:          "delete",
	opExists:          "exists",
	opGetData:         "getData",
	opSetData:         "setData",
	opGetACL:          "getACL",
	opSetACL:          "setACL",
	opGetChildren:     "getChildren",
	opSync:            "sync",
	opPing:            "ping",
	opGetChildren2:    "getChildren2",
	opCheck:           "check",
	opMulti:           "multi",
	opCreate2:         "create2",
	opReconfig:        "reconfig",
	opCreateContainer: "createContainer",
	opCreateTTL:       "createTTL",
	opSetAuth:         "auth",
	opSetWatches:      "setWatches",
	opSetWatches2:     "setWatches2",
	opAddWatch:        "addWatch",
	opCreateSession:   "createSession",
	opClose:           "closeSession",
	opError:           "error",
}

func (o opcode) String() string {
	if name, ok := opNames[o]; ok {
		return name
	}
	return "op " + strconv.Itoa(int(o))
}

const (
	// passwordLen is the length of sessions' passwords.
	passwordLen = 16
	// xidOfEvents takes the place of a request's xid in events.
	xidOfEvents = -1
)

// connect is the first frame of a connection.
type connect struct {
	protocol int32
	lastZxid int64 // the last that the client has seen
	timeout  time.Duration
	session  int64 // 0 for a new one
	password []byte
	readOnly bool
}

// parseConnect reads the first frame of a connection.
func parseConnect(frame []byte) (connect, error) {
	d := decoder{rest: frame}
	c := connect{
		protocol: d.int(),
		lastZxid: d.long(),
		timeout:  time.Duration(d.int()) * time.Millisecond,
		session:  d.long(),
		password: d.buffer(),
	}
	if d.bad {
		return connect{}, errors.New("malformed connect request")
	}
	// Clients from before read-only servers end here.
	c.readOnly = len(d.rest) > 0 && d.bool()
	return c, nil
}

// connectReply returns the frame that answers a connect. Without a time-out and a
// session it reports that the session has expired.
func connectReply(timeout time.Duration, session int64, password []byte) []byte {
	if session == 0 {
		password = make([]byte, passwordLen)
	}
	var e encoder
	e.int(0) // version of the protocol
	e.int(int32(timeout.Milliseconds()))
	e.long(session)
	e.buffer(password)
	return e.frame
}

// reply returns the frame that answers a request.
func reply(xid int32, zxid int64, c code, body []byte) []byte {
	e := encoder{make([]byte, 0, 16+len(body))}
	e.int(xid)
	e.long(zxid)
	e.int(int32(c))
	return append(e.frame, body...)
}

// event is the notification of a client whose watch fired.
func event(kind, state int32, path string) []byte {
	e := encoder{reply(xidOfEvents, -1, codeOK, nil)}
	e.int(kind)
	e.int(state)
	e.string(path)
	return e.frame
}
