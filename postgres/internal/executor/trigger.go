package executor

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/syntax"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// triggerInfo is a trigger FOR EACH ROW.
type triggerInfo struct {
	Name     string
	Before   bool
	Events   []string
	When     syntax.Expr
	Function syntax.Name
}

// createTrigger is CREATE TRIGGER.
func (a *analysis) createTrigger(st *syntax.CreateTrigger) error {
	if !st.EachRow || len(st.Columns) > 0 || len(st.Args) > 0 || st.Time == "INSTEAD OF" || slices.Contains(st.Events, "TRUNCATE") {
		return pgerror.Lacks("triggers that are not FOR EACH ROW of INSERT, UPDATE or DELETE, or have columns or arguments")
	}
	t, err := a.openIfExists(st.Table, storage.ShareRowExclusive)
	if err != nil {
		return err
	}
	if t == nil {
		return a.noTable(st.Table)
	}
	f := a.findRoutine(st.Function)
	switch {
	case f == nil:
		return pgerror.New(pgerror.UndefinedFunction, "function %s() does not exist", st.Function)
	case f.Info.(*routine).result != types.Invalid:
		return pgerror.New("42P17", "function %s must return type trigger", st.Function)
	}
	info := tableInfoOf(t)
	named := func(tr triggerInfo) bool { return tr.Name == st.Name }
	if slices.ContainsFunc(info.Triggers, named) && !st.Replace {
		return pgerror.New(pgerror.DuplicateObject, "trigger %q for relation %q already exists", st.Name, t.Name)
	}
	info.Triggers = append(slices.DeleteFunc(slices.Clone(info.Triggers), named), triggerInfo{st.Name, st.Time == "BEFORE", st.Events, st.When,
		syntax.Name{Schema: strings.TrimPrefix(f.Schema, hiddenRoutines), Name: f.Name}})
	slices.SortFunc(info.Triggers, func(x, y triggerInfo) int { return strings.Compare(x.Name, y.Name) })
	return a.backend.AlterTable(t, func() { t.Info = info }, nil)
}

// dropTrigger drops a trigger of a table.
func (a *analysis) dropTrigger(name string, on syntax.Name) (bool, error) {
	t, err := a.openIfExists(on, storage.AccessExclusive)
	if err != nil {
		return false, err
	}
	if t == nil {
		return false, a.noTable(on)
	}
	info := tableInfoOf(t)
	left := slices.DeleteFunc(slices.Clone(info.Triggers), func(tr triggerInfo) bool { return tr.Name == name })
	if len(left) == len(info.Triggers) {
		return false, nil
	}
	info.Triggers = left
	return true, a.backend.AlterTable(t, func() { t.Info = info }, nil)
}

// before executes the triggers BEFORE an event. They may change the new row; the result is false if they skip it.
func (r *rules) before(e *env, event string, old, row []types.Value) ([]types.Value, bool, error) {
	for _, tr := range r.triggers {
		if !tr.Before || !slices.Contains(tr.Events, event) {
			continue
		}
		kept, changed, err := r.fire(e, tr, event, old, row)
		if !kept || err != nil {
			return nil, false, err
		}
		if row != nil {
			row = changed
		}
	}
	return row, true, nil
}

// after notes the triggers AFTER an event, which are executed at the end of the statement.
func (r *rules) after(e *env, event string, old, row []types.Value) {
	for _, tr := range r.triggers {
		if !tr.Before && slices.Contains(tr.Events, event) {
			e.later(func() error {
				_, _, err := r.fire(e, tr, event, old, row)
				return err
			})
		}
	}
}

// fire executes a trigger. Kept reports whether its function has returned a row.
func (r *rules) fire(e *env, tr triggerInfo, event string, old, row []types.Value) (kept bool, changed []types.Value, err error) {
	f := r.a.hidden(hiddenRoutines+tr.Function.Schema, tr.Function.Name)
	if f == nil {
		return false, nil, pgerror.New(pgerror.UndefinedFunction, "function %s() does not exist", tr.Function)
	}
	in := &interpreter{session: e.session, name: tr.Function.Name, table: r.table, rows: map[string][]types.Value{}}
	for _, v := range [][2]string{{"tg_op", event}, {"tg_name", tr.Name}, {"tg_table_name", r.table.Name}} {
		in.columns, in.row = append(in.columns, Column{Name: v[0], Type: types.TextOID, Mod: -1}), append(in.row, v[1])
	}
	for name, values := range map[string][]types.Value{"new": row, "old": old} { // unordered: it fills a map
		in.rows[name] = append(slices.Clone(values), make([]types.Value, len(r.table.Columns)-len(values))...) // nulls if there is none
	}
	if tr.When != nil {
		ok, err := in.evaluate(&syntax.Select{Items: []syntax.Item{{Expr: tr.When}}}, types.BoolOID, -1)
		if ok != true || err != nil {
			return true, row, err
		}
	}
	if !tr.Before {
		e.backend.NextCommand()
	}
	returned, _, which, err := in.run(f.Info.(*routine).program, types.Invalid)
	switch {
	case err != nil:
		return false, nil, err
	case !returned:
		return false, nil, pgerror.New("2F005", "control reached end of trigger procedure without RETURN")
	}
	kept = which == "new" && row != nil || which == "old" && old != nil
	return kept, in.rows[which], nil
}
