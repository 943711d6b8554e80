package scripts

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Conn is a connection to a server.
type Conn interface {
	// Send sends bytes.
	Send(data []byte)
	// Arrived returns the bytes that have arrived since the last call, and whether the server has closed the connection after
	// them.
	Arrived() (data []byte, closed bool)
	// Close gives the connection back, and End ends it.
	Close()
	End()
}

// Session is a session of a script.
type Session struct {
	Number int
	// PID and Secret are from the server's BackendKeyData.
	PID    uint32
	Secret []byte
	// Listens is set if a LISTEN was sent, and Signalled if another session may have sent the server's process a signal since
	// the last call of [Place.Settle]. TimesOut is set if it has set lock_timeout.
	Listens, Signalled, TimesOut bool

	conn     Conn
	closed   bool
	gone     bool // see Gone
	buried   bool // a real place knows that it is gone
	pipeline bool // messages were sent since the last Sync
	stream   stream
	unsent   bytes.Buffer
	later    []byte   // letters of messages that are not sent yet
	owed     []byte   // letters of messages that are not answered
	skips    bool     // the server ignores all messages until a Sync
	fences   int      // answers to a Sync that are not the script's
	held     []string // lines, see hold
	lines    []string
	checked  bool     // see Checked
	columns  []string // of the rows that come, if the server has said so
	words    *words
}

// Gone reports whether the session has closed its connection without a word, so that its process may still work.
func (s *Session) Gone() bool { return s.gone }

// Waits reports whether the server owes the session an answer.
func (s *Session) Waits() bool { return len(s.owed) > 0 && !s.closed }

// Checked reports whether the session waits for a lock, after the server has looked for a deadlock. It is known on real
// servers with log_lock_waits.
func (s *Session) Checked() bool { return s.checked }

// put adds a message, which is sent by the next one that the server answers at once.
func (s *Session) put(letter byte, m pgproto3.FrontendMessage) {
	encoded, err := m.Encode(nil)
	if err != nil {
		panic(err)
	}
	s.unsent.Write(encoded)
	switch letter {
	case 'H':
	default:
		s.later = append(s.later, letter)
	}
	if !strings.ContainsRune("QSHXF", rune(letter)) {
		return
	}
	for _, l := range s.later {
		if l == 'S' {
			s.skips = false
		}
		if !s.skips || l == 'X' {
			s.owed = append(s.owed, l)
		}
	}
	s.later, s.pipeline = nil, letter == 'H'
	s.conn.Send(s.unsent.Bytes())
	s.unsent.Reset()
}

// Fence makes the server deliver notifications that have come, by a Sync whose answer is not written down.
func (s *Session) Fence() {
	s.fences++
	s.put('S', &pgproto3.Sync{})
}

// Receive reads what has arrived, and reports whether there was anything.
func (s *Session) Receive() bool {
	if s.closed {
		return false
	}
	data, closed := s.conn.Arrived()
	s.stream.rest = append(s.stream.rest, data...)
	for frame := s.stream.next(); frame != nil; frame = s.stream.next() {
		s.read(frame)
	}
	if closed {
		s.closed = true
		s.say("the server has closed the connection")
	}
	return len(data) > 0 || closed
}

// stream is what has arrived, in messages.
type stream struct{ rest []byte }

// next takes the next message, nil if none is whole.
func (s *stream) next() []byte {
	if len(s.rest) < 5 {
		return nil
	}
	n := 1 + int(binary.BigEndian.Uint32(s.rest[1:]))
	if len(s.rest) < n {
		return nil
	}
	frame := s.rest[:n]
	s.rest = s.rest[n:]
	return frame
}

// inPipeline reports whether the session has sent messages since its last Sync.
func (s *Session) inPipeline() bool { return s.pipeline }

func (s *Session) say(line string) { s.lines = append(s.lines, line) }

// hold writes down what a message says once the server would have sent it: before that it gathers answers. Real servers
// with [Settings] send them earlier, before what they say of waits.
func (s *Session) hold(line string, letter byte) {
	if letter == 'E' { // a simulated server sends no rows before one that fails
		s.held = slices.DeleteFunc(s.held, func(line string) bool { return strings.HasPrefix(line, "row ") })
	}
	s.held = append(s.held, line)
	if len(s.owed) == 0 || strings.IndexByte("ZENA", letter) >= 0 {
		s.lines, s.held = append(s.lines, s.held...), nil
	}
}

// read reads a message.
func (s *Session) read(frame []byte) {
	m, err := pgproto3.NewFrontend(bytes.NewReader(frame), nil).Receive()
	if err != nil {
		s.say("cannot be read: " + err.Error())
		return
	}
	switch m := m.(type) {
	case *pgproto3.BackendKeyData:
		s.PID, s.Secret = m.ProcessID, bytes.Clone(m.SecretKey)
		return
	case *pgproto3.NoticeResponse:
		if m.Severity == "LOG" {
			s.hear(m.Message)
			return
		}
	case *pgproto3.RowDescription:
		s.columns = nil
		for _, f := range m.Fields {
			s.columns = append(s.columns, string(f.Name))
		}
	case *pgproto3.ReadyForQuery:
		s.columns = nil
		if s.fences > 0 && len(s.owed) > 0 && s.owed[0] == 'S' {
			s.fences--
			s.owed = s.owed[1:]
			return
		}
	}
	text := s.words.of(m, s.columns)
	s.answered(frame[0])
	s.hold(text, frame[0])
	if e, is := m.(*pgproto3.ErrorResponse); is && e.Severity == "FATAL" {
		s.owed = []byte{'X'} // the end of the connection
	}
}

// answered takes what a message answers from what is owed.
func (s *Session) answered(letter byte) {
	if len(s.owed) == 0 {
		return
	}
	switch letter {
	case 'Z':
		if i := bytes.IndexAny(s.owed, "QSF"); i >= 0 {
			s.owed = s.owed[i+1:]
		}
	case 'E':
		if strings.ContainsRune("QSF", rune(s.owed[0])) {
			return
		}
		if i := bytes.IndexByte(s.owed, 'S'); i >= 0 {
			s.owed = s.owed[i:]
		} else {
			s.owed, s.skips = nil, true
		}
	default:
		if answers := map[byte]string{'P': "1", 'B': "2", 'D': "nT", 'E': "CIs", 'C': "3"}[s.owed[0]]; strings.IndexByte(answers, letter) >= 0 {
			s.owed = s.owed[1:]
		}
	}
}

// hear reads a message about waits for locks.
func (s *Session) hear(message string) {
	switch {
	case strings.Contains(message, " still waiting for "):
		s.checked = true
	case strings.Contains(message, " acquired "), strings.Contains(message, " failed to acquire "), strings.Contains(message, " detected deadlock "):
		s.checked = false
	}
}
