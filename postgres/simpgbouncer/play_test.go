package simpgbouncer_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// place is where a script is played: real servers, or simulated ones.
type place interface {
	// dial connects to the pooler, or to the server itself.
	dial(direct bool) (net.Conn, error)
	// settle waits until nothing more happens. Heard is how much the clients have got, and done whether that is what the
	// script expects.
	settle(heard func() int, done func() bool)
	sleep(time.Duration)
	// do does something to the servers or the pooler: "crash pooler".
	do(what string) error
}

// player plays a script, and writes down what each client gets.
type player struct {
	place
	mu      sync.Mutex
	clients map[string]*playing
	pids    []string // of servers, in the order in which they are seen
	lines   []string
}

// playing is a client of a script.
type playing struct {
	name    string
	conn    net.Conn
	heard   []string // since it was written down last
	columns []string
	key     *pgproto3.BackendKeyData
	loud    bool // shows the parameters at login
	login   bool
	all     int
}

// play plays the commands of a script and returns it with the answers.
func (x *player) play(script string) string {
	x.clients = map[string]*playing{}
	lines := strings.Split(strings.TrimSuffix(script, "\n"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, " ") {
			continue // an answer
		}
		x.lines = append(x.lines, line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "set ") {
			continue
		}
		rest := lines[i+1:]
		n := slices.IndexFunc(rest, func(l string) bool { return !strings.HasPrefix(l, " ") })
		if n < 0 {
			n = len(rest)
		}
		x.command(line)
		x.listen(rest[:n])
	}
	for _, c := range x.clients { // unordered: all end
		c.close()
	}
	return strings.Join(x.lines, "\n") + "\n"
}

// listen writes down what clients get until nothing more happens.
func (x *player) listen(want []string) {
	x.settle(func() (n int) {
		x.mu.Lock()
		defer x.mu.Unlock()
		for _, c := range x.clients { // unordered: a sum
			n += c.all
		}
		return n
	}, func() bool { return slices.Equal(x.heard(), want) })
	x.lines = append(x.lines, x.heard()...)
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range x.clients { // unordered: each forgets
		c.heard = nil
	}
}

// heard returns what clients have got since it was written down last.
func (x *player) heard() (lines []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, name := range sortedNames(x.clients) {
		if c := x.clients[name]; len(c.heard) > 0 {
			lines = append(lines, "  "+name+": "+strings.Join(c.heard, ", "))
		}
	}
	return lines
}

func sortedNames(m map[string]*playing) (names []string) {
	for name := range m { // unordered: sorted below
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// command executes a line of the script.
func (x *player) command(line string) {
	who, what, _ := strings.Cut(line, " ")
	switch who {
	case "sleep":
		d, err := time.ParseDuration(what)
		if err != nil {
			panic(err)
		}
		x.sleep(d)
		return
	case "do":
		if err := x.do(what); err != nil {
			panic(err)
		}
		return
	}
	c := x.clients[who]
	if c == nil {
		c = &playing{name: who}
		x.clients[who] = c
	}
	verb, args, _ := strings.Cut(what, " ")
	switch verb {
	case "connect", "login", "direct":
		c.loud = verb == "login"
		x.connect(c, verb == "direct", args)
	case "terminate":
		x.write(c, &pgproto3.Terminate{})
		c.close()
	case "hangup":
		c.close()
	case "cancel":
		x.cancel(c, x.clients[args])
		conn := c.conn
		go func() {
			_, _ = io.Copy(io.Discard, conn)
			x.say(c, "closed")
		}()
	case "cancelgone":
		x.cancel(c, x.clients[args])
		c.close()
	case "ssl":
		x.dialFor(c, false)
		x.write(c, &pgproto3.SSLRequest{})
		answer := make([]byte, 1)
		_, _ = io.ReadFull(c.conn, answer)
		x.say(c, "answer "+string(answer))
	default:
		var messages []pgproto3.FrontendMessage
		for part := range strings.SplitSeq(x.withPids(what), " | ") {
			messages = append(messages, message(part))
		}
		x.write(c, messages...)
	}
}

// withPids replaces $1 by the first process id that was seen.
func (x *player) withPids(s string) string {
	for i, pid := range x.pids {
		s = strings.ReplaceAll(s, "$P"+strconv.Itoa(i+1), pid)
	}
	return s
}

// message returns a message of the script.
func message(part string) pgproto3.FrontendMessage {
	verb, rest, _ := strings.Cut(part, " ")
	name, sql, _ := strings.Cut(rest, " ")
	unnamed := func(s string) string { return strings.TrimPrefix(s, "-") }
	switch verb {
	case "query":
		return &pgproto3.Query{String: rest}
	case "parse":
		return &pgproto3.Parse{Name: unnamed(name), Query: sql}
	case "bind":
		return &pgproto3.Bind{PreparedStatement: unnamed(name)}
	case "describe":
		return &pgproto3.Describe{ObjectType: 'S', Name: unnamed(name)}
	case "execute":
		return &pgproto3.Execute{}
	case "close":
		return &pgproto3.Close{ObjectType: 'S', Name: unnamed(name)}
	case "flush":
		return &pgproto3.Flush{}
	case "sync":
		return &pgproto3.Sync{}
	}
	panic("no command of scripts: " + part)
}

// close closes the client's connection, if it has one.
func (c *playing) close() {
	if c.conn != nil {
		c.conn.Close()
	}
}

// dialFor connects a client.
func (x *player) dialFor(c *playing, direct bool) {
	old := c.conn
	x.use(c, nil) // before it is closed: nobody hears of that
	if old != nil {
		old.Close()
	}
	conn, err := x.dial(direct)
	if err != nil {
		x.say(c, "cannot connect")
		return
	}
	x.use(c, conn)
}

// use gives a client another connection.
func (x *player) use(c *playing, conn net.Conn) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c.conn = conn
}

// uses reports whether a client still has a connection.
func (x *player) uses(c *playing, conn net.Conn) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return c.conn == conn
}

// connect logs a client in. Parameters are given as name=value.
func (x *player) connect(c *playing, direct bool, params string) {
	x.dialFor(c, direct)
	if c.conn == nil {
		return
	}
	pairs := [][2]string{{"user", "postgres"}, {"database", "postgres"}}
	for _, field := range strings.Fields(params) {
		key, value, _ := strings.Cut(field, "=")
		if i := slices.IndexFunc(pairs, func(p [2]string) bool { return p[0] == key }); i >= 0 {
			pairs[i][1] = value
			continue
		}
		pairs = append(pairs, [2]string{key, strings.ReplaceAll(value, "_", " ")})
	}
	body := binary.BigEndian.AppendUint32(nil, pgproto3.ProtocolVersion30)
	for _, p := range pairs {
		body = fmt.Appendf(body, "%s\x00%s\x00", p[0], p[1])
	}
	body = append(body, 0)
	_, _ = c.conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...))
	c.login = true
	go x.receive(c, c.conn)
}

// write sends messages together.
func (x *player) write(c *playing, messages ...pgproto3.FrontendMessage) {
	if c.conn == nil {
		return
	}
	var out []byte
	for _, m := range messages {
		out, _ = m.Encode(out)
	}
	if _, err := c.conn.Write(out); err != nil {
		x.say(c, "cannot write")
	}
}

// cancel sends a cancel request for another client.
func (x *player) cancel(c, victim *playing) {
	x.dialFor(c, false)
	x.write(c, &pgproto3.CancelRequest{ProcessID: victim.key.ProcessID, SecretKey: victim.key.SecretKey})
}

// say notes what a client gets.
func (x *player) say(c *playing, what string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c.heard = append(c.heard, what)
	c.all++
}

// receive reads the messages to a client.
func (x *player) receive(c *playing, conn net.Conn) {
	f := pgproto3.NewFrontend(conn, io.Discard)
	for {
		m, err := f.Receive()
		if err != nil {
			if x.uses(c, conn) {
				x.say(c, "closed")
			}
			return
		}
		if text := x.shown(c, m); text != "" {
			x.say(c, text)
		}
	}
}

// shown returns a message as a text.
func (x *player) shown(c *playing, m pgproto3.BackendMessage) string {
	switch m := m.(type) {
	case *pgproto3.AuthenticationOk:
		return map[bool]string{true: "AuthenticationOk"}[c.loud]
	case *pgproto3.BackendKeyData:
		c.key = &pgproto3.BackendKeyData{ProcessID: m.ProcessID, SecretKey: bytes.Clone(m.SecretKey)}
		return map[bool]string{true: "BackendKeyData"}[c.loud]
	case *pgproto3.ParameterStatus:
		if m.Name == "server_version" {
			m.Value = "15"
		}
		m.Value = strings.TrimPrefix(m.Value, "Etc/") // both are names of UTC
		if c.login && !c.loud {
			return ""
		}
		return "ParameterStatus " + m.Name + "=" + m.Value
	case *pgproto3.ReadyForQuery:
		was := c.login && !c.loud
		c.login = false
		if was {
			return "logged in"
		}
		return "ready " + string(m.TxStatus)
	case *pgproto3.RowDescription:
		c.columns = nil
		for _, f := range m.Fields {
			c.columns = append(c.columns, string(f.Name))
		}
		return "columns " + strings.Join(c.columns, " ")
	case *pgproto3.DataRow:
		values := make([]string, len(m.Values))
		for i, v := range m.Values {
			values[i] = string(v)
			if i < len(c.columns) && c.columns[i] == "pg_backend_pid" || len(c.columns) == 0 && len(v) > 3 {
				values[i] = x.pid(string(v))
			}
		}
		return "row (" + strings.Join(values, ", ") + ")"
	case *pgproto3.CommandComplete:
		return string(m.CommandTag)
	case *pgproto3.ErrorResponse:
		return fmt.Sprintf("%s %s %q", m.Severity, m.Code, m.Message)
	case *pgproto3.NoticeResponse:
		return fmt.Sprintf("notice %s %s %q", m.Severity, m.Code, m.Message)
	case *pgproto3.NotificationResponse:
		return fmt.Sprintf("notification %s %q of %s", m.Channel, m.Payload, x.pid(strconv.Itoa(int(m.PID))))
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
}

// pid names a server process by the order in which they are seen.
func (x *player) pid(s string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	i := slices.Index(x.pids, s)
	if i < 0 {
		x.pids, i = append(x.pids, s), len(x.pids)
	}
	return "P" + strconv.Itoa(i+1)
}
