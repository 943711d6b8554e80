package realclient

import (
	"encoding/json"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Program is a program, or a test binary, that calls [Serve].
type Program struct {
	// Command is the program and its arguments.
	Command []string
	// Env is added to the environment, each as "key=value".
	Env []string
	// Dir is its working directory, empty for that of this process.
	Dir string
}

// RouteVariable is the environment variable that makes a client process contact the members of an ensemble in the order of
// the trace, in place of the order that its library draws. The store defines the value.
const RouteVariable = "LOCKPICK_ROUTE"

// Outfit is the first line that the process reads.
type Outfit struct {
	// Subject makes it the process of a [Subject]: the lock of this trace, of which only the cell is given. The other fields
	// are then empty.
	Subject *traces.Trace   `json:"subject,omitempty"`
	Cell    json.RawMessage `json:"cell,omitempty"`
	Name    string          `json:"name,omitempty"`
	Seed    uint64          `json:"seed,omitempty"`
	// Addresses has one address for each independent server.
	Addresses []string `json:"addresses,omitempty"`
	// Ending ends the context of a call when it returns.
	Ending bool `json:"ending,omitempty"`
	// Ahead and Rate are the initial error of the process's clock, Rate in parts per million.
	Ahead time.Duration `json:"aheadNanos,omitempty"`
	Rate  int64         `json:"ratePPM,omitempty"`
}

// Order is a request of the driver to a client process.
type Order struct {
	N      int          `json:"n"` // the number of the order
	Do     model.OpKind `json:"do"`
	Thread int          `json:"thread,omitempty"`
	// Hold is the operation that began the hold to which this one belongs. Asks has the arguments for an object that is no
	// mutex, nil for accesses.
	Hold int         `json:"hold,omitempty"`
	Asks *model.Call `json:"asks,omitempty"`
	// Try is set for a try that does not wait.
	Try bool `json:"try,omitempty"`
	// Ahead is the size of the clock's jump.
	Ahead time.Duration `json:"aheadNanos,omitempty"`
}

// Orders besides operations. A read or a write only reports whether the lease still claims the lock, before an access.
const (
	CancelCall model.OpKind = "cancel" // end the context of the thread's call
	JumpClock  model.OpKind = "jump"
	Prepare    model.OpKind = "prepare" // set the object up, as each thread does before anything else
)

// Report is the result of an order.
type Report struct {
	N       int           `json:"n"`
	Thread  int           `json:"thread,omitempty"`
	Ready   bool          `json:"ready,omitempty"`
	Result  model.Outcome `json:"result,omitempty"`
	Err     string        `json:"err,omitempty"`
	NotHeld bool          `json:"notHeld,omitempty"`
	// Until is the true time at which this process's clock will show the lease's end, unless that was reported before.
	Until  time.Time `json:"until,omitzero"`
	Fenced bool      `json:"fenced,omitempty"`
	Token  int64     `json:"token,omitempty"`
	// Permit is the granted permit, and Value the number in the answer (Valued). Refused is set if the object has less than
	// was requested.
	Permit  string `json:"permit,omitempty"`
	Valued  bool   `json:"valued,omitempty"`
	Value   int64  `json:"value,omitempty"`
	Refused bool   `json:"refused,omitempty"`
	// Notifies is set if the lease can report its loss. Lost is a report of its own: the lease of order N was lost.
	Notifies bool `json:"notifies,omitempty"`
	Lost     bool `json:"lost,omitempty"`
	// Clock is set on the first report if the lock uses the process's clock (cell.Client.Clock), and Jumped after a jump.
	Clock  bool `json:"clock,omitempty"`
	Jumped bool `json:"jumped,omitempty"`
	// Panic is the value of a panic of the lock.
	Panic string `json:"panic,omitempty"`
}
