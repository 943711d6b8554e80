package simfile

import (
	"fmt"
	"strconv"
	"strings"
)

// Op is an operation.
type Op string

// The operations, with their arguments. A name has no slash.
const (
	Open    Op = "OPEN"    // client: opens a session, with a lease; answers its number and the lease in milliseconds
	Renew   Op = "RENEW"   // renews the lease, as every request does
	Create  Op = "CREATE"  // name, verifier, content: exclusively
	Read    Op = "READ"    // name; answers the content
	Write   Op = "WRITE"   // name, content: of an existing file
	Remove  Op = "REMOVE"  // name
	Rename  Op = "RENAME"  // from, to: replaces a file named to
	Stat    Op = "STAT"    // name; answers the time of the last write, in microseconds since 1970 by the server's clock
	Lock    Op = "LOCK"    // name, owner: of the whole file, exclusively; without waiting. Creates an empty file
	Reclaim Op = "RECLAIM" // name, owner: of a lock granted before the server restarted
	Unlock  Op = "UNLOCK"  // name, owner
)

// arguments is the number of arguments of each operation.
var arguments = map[Op]int{
	Open: 1, Renew: 0, Create: 3, Read: 1, Write: 2, Remove: 1, Rename: 2, Stat: 1, Lock: 2, Reclaim: 2, Unlock: 2,
}

// Status is the outcome of a request. A request with a status other than OK has changed
// nothing.
type Status string

// The statuses, with the corresponding errors of NFSv4.
const (
	OK      Status = "OK"
	Exist   Status = "EXIST"   // NFS4ERR_EXIST
	NoEntry Status = "NOENT"   // NFS4ERR_NOENT
	Denied  Status = "DENIED"  // NFS4ERR_DENIED: another owner has the lock
	NoLock  Status = "NOLOCK"  // NFS4ERR_BAD_STATEID: the owner does not have the lock
	Grace   Status = "GRACE"   // NFS4ERR_GRACE: try again when the grace period is over
	NoGrace Status = "NOGRACE" // NFS4ERR_NO_GRACE, NFS4ERR_RECLAIM_BAD: it is too late to reclaim this
	Expired Status = "EXPIRED" // NFS4ERR_BADSESSION: the lease has expired, and all locks with it
)

// Request is a line from a client: "SESSION NUMBER OPERATION ARGUMENT ...", with arguments as strings
// of Go in double quotes. The session of an Open is 0.
type Request struct {
	Session int64
	// Number numbers the requests of a session, from 1. A repeated request has the same number.
	Number int64
	Op     Op
	Args   []string
}

// Answer is a line from the server: "NUMBER BOOT STATUS VALUE ...".
type Answer struct {
	Number int64 // that of the request
	// Boot is the number of the server's starts until it executed the request. A client must reclaim locks
	// from an earlier start, even a lock of which it learns by an answer from before a restart.
	Boot   int64
	Status Status
	Values []string
}

// Line returns the request as it is sent.
func (r Request) Line() []byte {
	return line(fmt.Sprintf("%d %d %s", r.Session, r.Number, r.Op), r.Args)
}

// Line returns the answer as it is sent.
func (a Answer) Line() []byte {
	return line(fmt.Sprintf("%d %d %s", a.Number, a.Boot, a.Status), a.Values)
}

func line(head string, words []string) []byte {
	text := []byte(head)
	for _, w := range words {
		text = strconv.AppendQuote(append(text, ' '), w)
	}
	return append(text, '\n')
}

// ParseRequest parses a line without its end.
func ParseRequest(text string) (r Request, err error) {
	r.Session, r.Number, text, err = numbers(text)
	if err != nil {
		return r, err
	}
	op, rest, _ := strings.Cut(text, " ")
	r.Op = Op(op)
	r.Args, err = words(rest)
	if want, known := arguments[r.Op]; err == nil && (!known || len(r.Args) != want) {
		err = fmt.Errorf("simfile: %q with %d arguments", op, len(r.Args))
	}
	return r, err
}

// ParseAnswer parses a line without its end.
func ParseAnswer(text string) (a Answer, err error) {
	a.Number, a.Boot, text, err = numbers(text)
	if err != nil {
		return a, err
	}
	status, rest, _ := strings.Cut(text, " ")
	a.Status = Status(status)
	a.Values, err = words(rest)
	return a, err
}

// numbers parses the two numbers at the beginning of a line.
func numbers(text string) (first, second int64, rest string, err error) {
	parts := strings.SplitN(text, " ", 3)
	if len(parts) < 3 {
		return 0, 0, "", fmt.Errorf("simfile: %q is no line of the protocol", text)
	}
	if first, err = strconv.ParseInt(parts[0], 10, 64); err == nil {
		second, err = strconv.ParseInt(parts[1], 10, 64)
	}
	return first, second, parts[2], err
}

// words parses strings in quotes.
func words(text string) (list []string, err error) {
	for text != "" {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, err
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		list, text = append(list, word), strings.TrimPrefix(text[len(quoted):], " ")
	}
	return list, nil
}
