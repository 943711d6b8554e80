package sql

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// backticks is a dialect with names in backticks, whose texts are compared without regard to case, and
// whose definitions commit.
var backticks = &Dialect{
	Grammar: Grammar{
		NameQuote:  '`',
		Operators:  map[string]string{"&&": "and", "%": "%"},
		Reserved:   []string{"select", "from", "where", "order", "limit", "for", "set", "values"},
		Statements: StandardStatements(),
		Functions:  StandardFunctions(),
		Types:      testTypes,
		Database:   "d",
	},
	Collation:    strings.ToLower,
	Results:      map[Kind]ColumnType{Integer: testTypes["int"], Text: testTypes["text"]},
	Isolations:   []Isolation{{Name: "repeatable", LocksGaps: true}, {Name: "committed", FreshSnapshots: true}},
	CommitsFirst: func(Statement) bool { return true },
	RollsBack:    func(err error) bool { return errors.Is(err, ErrDeadlock) },
}

// quotes is a dialect with names in double quotes, whose texts are compared as they are, with other operators and
// an isolation level of its own, in which nothing commits but COMMIT.
var quotes = &Dialect{
	Grammar: Grammar{
		NameQuote:  '"',
		Operators:  map[string]string{"!=": "<>"},
		Reserved:   backticks.Reserved,
		Statements: StandardStatements(),
		Functions:  StandardFunctions(),
		Types:      testTypes,
		Database:   "d",
	},
	Results:    backticks.Results,
	Isolations: []Isolation{{Name: "committed", FreshSnapshots: true}},
}

var testTypes = map[string]ColumnType{
	"int":  {Name: "int", Base: Integer, Bits: 64},
	"text": {Name: "text", Base: Text, Length: 100},
}

// bench is a host without a world: time passes when the test says so.
type bench struct {
	db     *Database
	now    time.Duration
	timers []*alarm
	said   []string // by the clients, since the last step
	rows   []string // that have changed
}

// alarm is a timer of the bench.
type alarm struct {
	at   time.Duration
	fire func()
}

func (a *alarm) Stop() { a.fire = nil }

// peer is a client of the bench.
type peer struct {
	bench *bench
	name  string
	s     *Session
}

func newBench(d *Dialect) *bench {
	b := &bench{}
	b.db = NewDatabase(d, b)
	return b
}

func (b *bench) peer(name string) *peer {
	p := &peer{bench: b, name: name}
	p.s = b.db.NewSession(p)
	p.s.Database, p.s.LockWait = "d", 10*time.Second
	return p
}

func (b *bench) Stamp() model.Stamp { return model.Stamp{} }

func (b *bench) Now() time.Time { return time.Unix(0, int64(b.now)).UTC() }

func (b *bench) After(d time.Duration, _ string, fire func()) Timer {
	a := &alarm{b.now + d, fire}
	b.timers = append(b.timers, a)
	return a
}

func (b *bench) IsReadOnly() bool            { return false }
func (b *bench) Ship(*Txn) bool              { return false }
func (b *bench) Defined(Watcher, Definition) {}
func (b *bench) Changed(c RowChange) {
	b.rows = append(b.rows, fmt.Sprint(c.Kind, " ", c.Table, " ", c.Values))
}

// pass lets time pass, and fires the timers that are due.
func (b *bench) pass(d time.Duration) {
	b.now += d
	for _, a := range slices.Clone(b.timers) {
		if a.fire != nil && a.at <= b.now {
			fire := a.fire
			a.fire = nil
			fire()
			b.db.Settle()
		}
	}
}

func (p *peer) say(what string) { p.bench.said = append(p.bench.said, p.name+" "+what) }

func (p *peer) Origin() model.Origin                         { return model.Origin{Client: p.name} }
func (p *peer) Began(*Txn)                                   {}
func (p *peer) Ended(*Txn, bool)                             {}
func (p *peer) Waits(Place)                                  { p.say("waits") }
func (p *peer) Waited(bool)                                  {}
func (p *peer) Refused([]Watcher)                            {}
func (p *peer) Deadlocked()                                  {}
func (p *peer) Locked(Place, int64, model.Origin)            {}
func (p *peer) Unlocked(Place, int64, model.Origin, *Ending) {}
func (p *peer) GiveUp(*Execution)                            {}
func (p *peer) Answer(_ *Execution, r *Result, err error) {
	var e *Error
	switch {
	case errors.As(err, &e):
		p.say(strings.TrimPrefix(e.Error(), "sql: "))
	case err != nil:
		p.say(err.Error())
	case r.Columns != nil:
		p.say(fmt.Sprint(r.Rows))
	default:
		p.say(fmt.Sprint(r.Affected))
	}
}

// send sends a statement.
func (p *peer) send(query string, params ...Value) {
	parsed, err := p.bench.db.dialect.Parse(query)
	if err != nil {
		p.say(strings.TrimPrefix(err.Error(), "sql: "))
		return
	}
	p.s.Perform(parsed.Statement, params)
	p.bench.db.Settle()
}

// play plays a script: lines of a client with a statement, or of a time that passes, and behind an arrow what the
// clients say.
func (b *bench) play(t *testing.T, script string) {
	t.Helper()
	peers := map[string]*peer{}
	for i, line := range strings.Split(strings.TrimSpace(script), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		step, want, _ := strings.Cut(line, " => ")
		who, query, _ := strings.Cut(step, " ")
		b.said = nil
		if d, err := time.ParseDuration(who); err == nil {
			b.pass(d)
		} else {
			if peers[who] == nil {
				peers[who] = b.peer(who)
			}
			peers[who].send(query)
		}
		if got := strings.Join(b.said, "; "); got != want {
			t.Errorf("line %d: %s\n got %s\nwant %s", i+1, step, got, want)
		}
	}
}
