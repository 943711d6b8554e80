package scripts

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Place is where a script is played: on a real server, or in a simulated world.
type Place interface {
	// Connect opens a connection. A place may keep connections that are set back to their beginning, and then returns the
	// session's key with it; otherwise the server is still owed the start-up.
	Connect(session int) (c Conn, pid uint32, secret []byte)
	// Settle waits until all sessions are answered, or wait for locks, or are gone. It calls [Session.Receive].
	Settle(sessions []*Session)
	// Cancel sends a cancel request on a connection of its own, and returns when the server has executed it.
	Cancel(request []byte)
	// Parameters are those of the start-up message, besides the user.
	Parameters() map[string]string
}

// player plays a script.
type player struct {
	place    Place
	sessions []*Session
	lines    []string
}

// Play plays a script with the given number of sessions, and returns their answers as lines. In the end each session in turn rolls
// back, and the first one shows what is left.
func Play(place Place, s Script) []string {
	x := &player{place: place}
	w := &words{letters: map[string]string{}}
	for i := range s.Sessions {
		conn, pid, secret := place.Connect(i)
		one := &Session{Number: i, PID: pid, Secret: secret, conn: conn, words: w}
		x.sessions = append(x.sessions, one)
		w.sessions = x.sessions
		if pid == 0 {
			x.startUp(one)
		}
		x.forget()
	}
	for i, c := range s.Commands {
		x.command(i, c)
	}
	x.end()
	for _, one := range x.sessions {
		if !one.gone {
			one.conn.Close()
		}
	}
	return x.lines
}

// startUp logs a session in.
func (x *player) startUp(s *Session) {
	parameters := x.place.Parameters()
	parameters["user"] = "postgres"
	s.put('F', &pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: parameters})
	x.settle()
	if s.PID == 0 {
		panic(fmt.Sprintf("session %d has no key: %q", s.Number, s.lines))
	}
}

func (x *player) settle() { x.place.Settle(x.sessions) }

// forget drops lines that are not to be compared.
func (x *player) forget() {
	for _, s := range x.sessions {
		s.lines = nil
	}
}

func (x *player) say(format string, args ...any) {
	x.lines = append(x.lines, fmt.Sprintf(format, args...))
}

// command makes a session do something. A session that waits for an answer sends nothing, but may be interrupted.
func (x *player) command(i int, c Command) {
	s := x.sessions[c.Session]
	if s.closed || s.Waits() != (c.Do == "cancel") {
		return // a real server would notice that a client is gone when it says that it has got a lock
	}
	x.say("%d: %s", i, c)
	switch c.Do {
	case "cancel":
		x.cancel(s)
	case "gone":
		s.gone, s.closed = true, true
		s.conn.End()
	default:
		x.signals(c.Text)
		c.Text = x.pids(c.Text)
		s.TimesOut = s.TimesOut || strings.Contains(c.Text, "lock_timeout")
		s.Listens = s.Listens || strings.Contains(strings.ToUpper(c.Text), "LISTEN")
		s.put(c.Do[0], c.message())
		if !slices.Contains([]string{"Q", "S", "H", "X"}, c.Do) {
			return
		}
	}
	x.listen()
}

var braces = regexp.MustCompile(`\{(\d+)\}`)

// pids replaces numbers of sessions in braces by those of their processes.
func (x *player) pids(text string) string {
	return braces.ReplaceAllStringFunc(text, func(m string) string {
		i, _ := strconv.Atoi(m[1 : len(m)-1])
		if i >= len(x.sessions) {
			return "0"
		}
		return strconv.Itoa(int(x.sessions[i].PID))
	})
}

// signals notes that a statement may send signals to processes.
func (x *player) signals(text string) {
	if !strings.Contains(text, "_backend(") {
		return
	}
	for _, m := range braces.FindAllStringSubmatch(text, -1) {
		if i, _ := strconv.Atoi(m[1]); i < len(x.sessions) {
			x.sessions[i].Signalled = true
		}
	}
}

// cancel interrupts a session's statement.
func (x *player) cancel(s *Session) {
	s.checked = false
	const code = 80877102
	b := binary.BigEndian.AppendUint32(nil, uint32(12+len(s.Secret)))
	b = binary.BigEndian.AppendUint32(b, code)
	b = binary.BigEndian.AppendUint32(b, s.PID)
	x.place.Cancel(append(b, s.Secret...))
}

// listen writes down what the sessions are answered. That one waits is written down, too.
func (x *player) listen() {
	x.settle()
	for i, s := range x.sessions {
		for _, line := range s.lines {
			x.say("  %d: %s", i, line)
		}
		s.lines = nil
		if s.Waits() {
			x.say("  %d: waits", i)
		}
	}
}

// ends are what each session sends in the end.
var ends = []string{"ROLLBACK", "SELECT pg_advisory_unlock_all()"}

// end ends all transactions, one session after the other, and shows what is left. A statement that waits is interrupted.
func (x *player) end() {
	for i, s := range x.sessions {
		x.say("end: session %d", i)
		if s.Waits() {
			x.cancel(s)
			x.listen()
		}
		if s.closed {
			continue
		}
		s.unsent.Reset()
		s.later = nil
		s.put('S', &pgproto3.Sync{}) // after an error it ends what is ignored
		for _, q := range ends {
			s.put('Q', &pgproto3.Query{String: q})
		}
		x.listen()
	}
	for _, s := range x.sessions {
		if s.closed || s.Waits() {
			continue
		}
		x.say("left:")
		for _, q := range left {
			s.put('Q', &pgproto3.Query{String: q})
		}
		x.listen()
		break
	}
}
