package storage

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// world is a database with its clock, and what was observed.
type world struct {
	t      *testing.T
	db     *Database
	now    time.Time
	timers []*timer
	log    []string
	ships  func(b *Backend, c *Changes) bool
	all    []*player
}

type timer struct {
	at   time.Time
	fire func()
	done bool
}

func (t *timer) Stop() { t.done = true }

func newWorld(t *testing.T) *world {
	w := &world{t: t, now: time.Unix(0, 0)}
	w.db = NewDatabase(w)
	return w
}

func (w *world) Now() time.Time     { return w.now }
func (w *world) Stamp() model.Stamp { return model.Stamp{} }

func (w *world) After(d time.Duration, _ string, fire func()) Timer {
	t := &timer{at: w.now.Add(d), fire: fire}
	w.timers = append(w.timers, t)
	return t
}

func (w *world) Ship(b *Backend, c *Changes) bool { return w.ships != nil && w.ships(b, c) }

func (w *world) Changed(c RowChange) {
	texts := make([]string, len(c.Values))
	for i, v := range c.Values {
		texts[i] = fmt.Sprint(v)
	}
	who := c.Owner.Client
	if c.OldOwner.Client != "" {
		who += " after " + c.OldOwner.Client
	}
	w.logf("%s: %s %v (%s) by %s, committed by %s", c.Kind, c.Table.Name, c.Key, strings.Join(texts, " "), who, c.By.Client)
}

func (w *world) logf(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

// advance lets time pass.
func (w *world) advance(d time.Duration) {
	for end := w.now.Add(d); ; {
		var next *timer
		for _, t := range w.timers {
			if !t.done && !t.at.After(end) && (next == nil || t.at.Before(next.at)) {
				next = t
			}
		}
		if next == nil {
			w.now = end
			return
		}
		w.now, next.done = next.at, true
		next.fire()
		w.db.Settle()
	}
}

// observed checks what was observed since the last call.
func (w *world) observed(want ...string) {
	w.t.Helper()
	if got := w.log; !slices.Equal(got, want) {
		w.t.Errorf("observed\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	w.log = nil
}

// player is a session. Its statements are coroutines.
type player struct {
	*Backend
	w      *world
	name   string
	yield  func(struct{}) bool
	next   func() (struct{}, bool)
	stop   func()
	busy   bool
	answer string
	notes  []string
}

func (w *world) player(name string) *player {
	p := &player{w: w, name: name}
	p.Backend = w.db.NewBackend(p, int32(100+len(w.all)))
	w.all = append(w.all, p)
	return p
}

func (p *player) Origin() model.Origin   { return model.Origin{Client: p.name} }
func (p *player) ClockRead() model.Stamp { return model.Stamp{} }

func (p *player) Park(string) error {
	if !p.yield(struct{}{}) {
		return errClosed
	}
	return nil
}

func (p *player) Resume() {
	if _, more := p.next(); !more {
		p.busy = false
	}
}

func (p *player) Notice(e *pgerror.Error) { p.notes = append(p.notes, e.Message) }
func (p *player) Waits(Place)             {}
func (p *player) Waited(bool)             {}
func (p *player) Deadlocked(circle []*Backend) {
	var names []string
	for _, b := range circle {
		names = append(names, b.client.(*player).name)
	}
	p.w.logf("deadlock of %s", strings.Join(names, " "))
}

func (p Place) show() string {
	switch p.Kind {
	case PlaceTable:
		return "table " + p.Table.Name
	case PlaceAdvisory:
		return fmt.Sprintf("key %d", p.Advisory.Number())
	}
	return fmt.Sprintf("row %s %v", p.Table.Name, p.Key)
}

func (p *player) Locked(place Place, _ int64, got model.Origin) {
	p.w.logf("%s has %s", got.Client, place.show())
}

func (p *player) Unlocked(place Place, _ int64, _ model.Origin, end *Ending) {
	how := ""
	if end != nil && end.Kind != "" {
		how = " " + string(end.Kind)
	}
	p.w.logf("%s gave %s%s", p.name, place.show(), how)
}

// start begins a statement, and returns its answer, or "waits".
func (p *player) start(f func() (string, error)) string {
	if p.busy {
		p.w.t.Fatalf("%s is busy", p.name)
	}
	p.busy, p.answer = true, "waits"
	p.next, p.stop = iter.Pull(func(yield func(struct{}) bool) {
		p.yield = yield
		answer, err := f()
		if err != nil {
			answer = failure(err)
		}
		p.answer = answer
	})
	p.Resume()
	p.w.db.Settle()
	return p.answer
}

// failure shows an error.
func failure(err error) string {
	code := codeOf(err)
	if code == "" {
		return err.Error()
	}
	text := code + " " + pgerror.From(err).Message
	if d := pgerror.From(err).Detail; d != "" && code == pgerror.UniqueViolation {
		text += ": " + d
	}
	return text
}

// run executes a statement of the small SQL, and checks its answer.
func (p *player) run(statement, want string) {
	p.w.t.Helper()
	if got := p.start(func() (string, error) { return p.execute(statement) }); got != want {
		p.w.t.Errorf("%s: %s: got %q, want %q", p.name, statement, got, want)
	}
}

// ends checks the answer of the statement that was waiting.
func (p *player) ends(want string) {
	p.w.t.Helper()
	if got := p.answer; got != want {
		p.w.t.Errorf("%s: got %q, want %q", p.name, got, want)
	}
}

// table makes a table with columns of numbers; the first is the primary key, others named in unique have indexes.
func (w *world) table(name string, columns []string, unique ...string) *Table {
	p := w.player("owner")
	t := &Table{Schema: "public", Name: name}
	for _, c := range columns {
		t.Columns = append(t.Columns, &Column{Name: c, Type: types.Int4OID, Mod: -1})
	}
	p.start(func() (string, error) {
		p.Begin(Characteristics{})
		if err := p.CreateTable(t); err != nil {
			return "", err
		}
		for i, c := range columns {
			if i > 0 && !slices.Contains(unique, c) {
				continue
			}
			name := name + "_" + c + "_key"
			if i == 0 {
				name = t.Name + "_pkey"
			}
			ix := &Index{Name: name, Table: t, Unique: true, Primary: i == 0, Constraint: true, Columns: []int{i}, Uses: []int{i},
				Types: []types.OID{types.Int4OID}, Texts: []string{c},
				Key: func(row []types.Value) ([]types.Value, bool, error) { return []types.Value{row[i]}, true, nil }}
			if err := p.CreateIndex(ix); err != nil {
				return "", err
			}
		}
		return "", p.Commit()
	})
	p.Close(nil)
	w.log = nil
	return t
}
