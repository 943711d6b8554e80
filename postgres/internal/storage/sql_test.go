package storage

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// form is a form of a statement of the small SQL, which real servers understand too.
type form struct {
	pattern *regexp.Regexp
	run     func(p *player, m []string) (string, error)
}

func statement(pattern string, run func(p *player, m []string) (string, error)) form {
	return form{regexp.MustCompile("^" + pattern + "$"), run}
}

var forms = []form{
	statement(`select \* from (\w+)(?: where (\w+) = (\d+))?(?: for (update|no key update|share|key share)(?: (nowait|skip locked))?)?`, (*player).selects),
	statement(`insert into (\w+) values \((\d+), (\d+)\)(?: on conflict(?: \((\w+)\))? do (nothing|update set (\w+) = (\d+)))?`, (*player).inserts),
	statement(`update (\w+) set (\w+) = (\w+ \+ )?(\d+)(?: where (\w+) = (\d+))?`, (*player).updates),
	statement(`delete from (\w+)(?: where (\w+) = (\d+))?`, (*player).deletes),
	statement(`lock table (\w+) in ([a-z ]+) mode( nowait)?`, (*player).locks),
	statement(`select pg_(try_)?advisory_(xact_)?lock(_shared)?\((\d+)\)`, (*player).advises),
	statement(`select pg_advisory_unlock(_shared)?\((\d+)\)`, func(p *player, m []string) (string, error) {
		return fmt.Sprint(p.AdvisoryUnlock(Key64(int64(number(m[2]))), m[1] == "")), nil
	}),
	statement(`select pg_advisory_unlock_all\(\)`, func(p *player, _ []string) (string, error) {
		p.AdvisoryUnlockAll()
		return "", nil
	}),
	statement(`set (lock_timeout|deadlock_timeout) = '(\d+)ms'`, func(p *player, m []string) (string, error) {
		d := time.Duration(number(m[2])) * time.Millisecond
		if m[1] == "lock_timeout" {
			p.LockTimeout = d
		} else {
			p.DeadlockTimeout = d
		}
		return "", nil
	}),
}

var levels = map[string]Isolation{"": ReadCommitted, "read committed": ReadCommitted, "repeatable read": RepeatableRead, "serializable": Serializable}

var beginForm = regexp.MustCompile(`^begin(?: isolation level ([a-z ]+?))?( read only)?$`)

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// execute executes a statement of the small SQL: a transaction of its own unless the session has begun one.
func (p *player) execute(text string) (string, error) {
	if t := p.Txn(); t != nil && t.Failed() && text != "commit" && !strings.HasPrefix(text, "rollback") {
		return "", pgerror.New(pgerror.InFailedTransaction, "current transaction is aborted, commands ignored until end of transaction block")
	}
	verb, name, _ := strings.Cut(text, " ")
	switch {
	case beginForm.MatchString(text):
		m := beginForm.FindStringSubmatch(text)
		p.Begin(Characteristics{Level: levels[m[1]], ReadOnly: m[2] != ""})
		return "", nil
	case text == "commit":
		return "", p.Commit()
	case text == "rollback":
		p.Abort(&Ending{})
		return "", nil
	case strings.HasPrefix(text, "rollback to "):
		return "", p.control(p.RollbackTo(strings.TrimPrefix(text, "rollback to ")))
	case verb == "savepoint":
		p.Savepoint(name)
		return "", nil
	case verb == "release":
		return "", p.control(p.Release(name))
	}
	for _, f := range forms {
		m := f.pattern.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		alone := p.Txn() == nil
		if alone {
			p.Begin(Characteristics{})
		}
		// A transaction's snapshot is taken before its first statement locks a table.
		if verb != "lock" && verb != "set" && p.txn.Level != ReadCommitted || strings.HasPrefix(text, "select pg_") {
			if _, err := p.Snapshot(); err != nil {
				return "", p.finish(alone, err)
			}
		}
		answer, err := f.run(p, m)
		return answer, p.finish(alone, err)
	}
	panic("unknown statement " + text)
}

// control fails the transaction after an error.
func (p *player) control(err error) error {
	if err != nil {
		p.Fail()
	}
	return err
}

func (p *player) finish(alone bool, err error) error {
	if err == nil {
		for _, s := range p.txn.active {
			if err = s.Err(); err != nil {
				break
			}
		}
	}
	switch {
	case err != nil && alone:
		p.Abort(&Ending{})
	case err != nil:
		p.Fail()
	case alone:
		return p.Commit()
	default:
		p.NextCommand()
	}
	return err
}

// matching calls f for the rows that a snapshot shows.
func (p *player) matching(table, column, value string, mode TableMode, f func(s *Snapshot, t *Tuple, matches func(*Tuple) bool) error) error {
	t, err := p.Open("public", table, mode)
	if err != nil {
		return err
	}
	s, err := p.Snapshot()
	if err != nil {
		return err
	}
	rows := t.Scan(s)
	matches := func(*Tuple) bool { return true }
	if column != "" {
		v := types.Value(int64(number(value)))
		at := t.column(column)
		matches = func(n *Tuple) bool { return n.Row[at] == v }
		if i := slices.IndexFunc(t.Indexes, func(ix *Index) bool { return ix.Texts[0] == column }); i >= 0 {
			rows = t.Indexes[i].Scan(s, Range{Equal: []types.Value{v}})
		}
	}
	for n := range rows {
		if !matches(n) {
			continue
		}
		if err := f(s, n, matches); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) column(name string) int {
	return slices.IndexFunc(t.Columns, func(c *Column) bool { return c.Name == name })
}

func (n *Tuple) show() string { return fmt.Sprintf("(%v,%v)", n.Row[0], n.Row[1]) }

func (p *player) selects(m []string) (string, error) {
	modes := map[string]RowMode{"update": Update, "no key update": NoKeyUpdate, "share": Share, "key share": KeyShare}
	policies := map[string]WaitPolicy{"": Block, "nowait": Nowait, "skip locked": SkipLocked}
	tableMode := AccessShare
	if m[4] != "" {
		tableMode = RowShare
	}
	var list []string
	err := p.matching(m[1], m[2], m[3], tableMode, func(s *Snapshot, t *Tuple, matches func(*Tuple) bool) error {
		if m[4] != "" {
			n, o, err := p.LockRow(s, t, modes[m[4]], policies[m[5]])
			if err != nil || o == Deleted || o == Skipped || o == SelfModified || !matches(n) {
				return err
			}
			t = n
		}
		list = append(list, t.show())
		return nil
	})
	return strings.Join(list, " "), err
}

func (p *player) inserts(m []string) (string, error) {
	t, err := p.Open("public", m[1], RowExclusive)
	if err != nil {
		return "", err
	}
	s, err := p.Snapshot()
	if err != nil {
		return "", err
	}
	row := []types.Value{int64(number(m[2])), int64(number(m[3]))}
	if m[5] == "" {
		_, err := p.Insert(t, row)
		return "1", err
	}
	var arbiters []*Index
	if m[4] != "" {
		arbiters = append(arbiters, t.Indexes[slices.IndexFunc(t.Indexes, func(ix *Index) bool { return ix.Texts[0] == m[4] })])
	}
	for {
		added, conflict, err := p.InsertUnless(s, t, row, arbiters, m[5] == "nothing")
		switch {
		case err != nil:
			return "", err
		case added != nil:
			return "1", nil
		case m[5] == "nothing":
			return "0", nil
		}
		at, mode := t.column(m[6]), NoKeyUpdate
		if slices.ContainsFunc(t.Indexes, func(ix *Index) bool { return ix.Columns[0] == at }) {
			mode = Update
		}
		o, err := p.LockConflict(s, conflict, mode)
		if err != nil {
			return "", err
		}
		if o == Done {
			changed := slices.Clone(conflict.Row)
			changed[at] = int64(number(m[7]))
			_, o, err := p.Update(s, conflict, changed)
			if o != Done {
				panic("locked and not updated")
			}
			return "1", err
		}
	}
}

func (p *player) updates(m []string) (string, error) {
	count := 0
	err := p.matching(m[1], m[5], m[6], RowExclusive, func(s *Snapshot, t *Tuple, matches func(*Tuple) bool) error {
		at := t.table.column(m[2])
		for {
			row := slices.Clone(t.Row)
			row[at] = int64(number(m[4]))
			if m[3] != "" {
				row[at] = t.Row[t.table.column(strings.TrimSuffix(m[3], " + "))].(int64) + int64(number(m[4]))
			}
			n, o, err := p.Update(s, t, row)
			if o == Done && err == nil {
				count++
			}
			if err != nil || o != Updated || !matches(n) {
				return err
			}
			t = n
		}
	})
	return strconv.Itoa(count), err
}

func (p *player) deletes(m []string) (string, error) {
	count := 0
	err := p.matching(m[1], m[2], m[3], RowExclusive, func(s *Snapshot, t *Tuple, matches func(*Tuple) bool) error {
		for {
			n, o, err := p.Delete(s, t)
			if o == Done && err == nil {
				count++
			}
			if err != nil || o != Updated || !matches(n) {
				return err
			}
			t = n
		}
	})
	return strconv.Itoa(count), err
}

func (p *player) locks(m []string) (string, error) {
	modes := map[string]TableMode{"access share": AccessShare, "row share": RowShare, "row exclusive": RowExclusive,
		"share update exclusive": ShareUpdateExclusive, "share": ShareLock, "share row exclusive": ShareRowExclusive,
		"exclusive": Exclusive, "access exclusive": AccessExclusive}
	return "", p.LockTableExplicitly(p.Lookup("public", m[1]), modes[m[2]], m[3] != "")
}

func (p *player) advises(m []string) (string, error) {
	got, err := p.AdvisoryLock(Key64(int64(number(m[4]))), m[3] == "", m[2] != "", m[1] != "")
	if m[1] == "" {
		return "", err
	}
	return fmt.Sprint(got), err
}
