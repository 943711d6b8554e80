package simmysql

import (
	"strings"
	"time"
)

// forPeer is the name of what a replica does for its source.
const forPeer = "peer"

// Meter has time say how long each request takes the server, by its name: "SELECT", "SELECT ...
// FOR UPDATE", "SELECT ... FOR SHARE", "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT",
// "ROLLBACK", "SET"; a SELECT or DO of a function that may wait or has an effect has the
// function's, "GET_LOCK"; "CONNECT" is a login, "PREPARE" and "PING" are what they say. An
// execution of a prepared statement has the statement's name. A replica calls it with the name
// "peer" for each commit that it applies.
//
// The server serves one request at a time, in the order of their arrival: it has one
// processor. A statement that waits for a lock takes its time when it arrives, and none when it
// goes on. Without a meter requests take no time.
func (n *Node) Meter(time func(request string) time.Duration) { n.meter = time }

// serve lets the server take its time for a request.
func (n *Node) serve(request string) {
	if n.meter != nil {
		n.Serve(n.meter(request))
	}
}

// requestName is the name of a statement as a request.
func requestName(s statement) string {
	switch s := s.(type) {
	case *selection:
		var exprs []expr
		for _, i := range s.items {
			exprs = append(exprs, i.expr)
		}
		return effectName(exprs, [...]string{"SELECT", "SELECT ... FOR SHARE", "SELECT ... FOR UPDATE"}[s.locking])
	case *do:
		return effectName(s.exprs, "DO")
	case *insertion:
		return "INSERT"
	case *updating:
		return "UPDATE"
	case *deletion:
		return "DELETE"
	case *begin:
		return "BEGIN"
	case *commit:
		return "COMMIT"
	case *rollback:
		return "ROLLBACK"
	case *savepoint:
		return "SAVEPOINT"
	case *set:
		return "SET"
	case *kill:
		return "KILL"
	case *use:
		return "USE"
	case *show:
		return "SHOW"
	case *createTable:
		return "CREATE TABLE"
	case *dropTable:
		return "DROP TABLE"
	case *truncateTable:
		return "TRUNCATE TABLE"
	}
	return "" // there are no others
}

// effectName is the name of the first function among expressions that may wait or has an
// effect, such as GET_LOCK, or else the other name.
func effectName(exprs []expr, otherwise string) string {
	for _, e := range exprs {
		if e == nil { // of *
			continue
		}
		if c, is := e.(*call); is && functions[c.name].waits {
			return strings.ToUpper(c.name)
		}
		if name := effectName(e.parts(), ""); name != "" {
			return name
		}
	}
	return otherwise
}
