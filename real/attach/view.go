package attach

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// Queued is a [confirm.Store] with locks that are queues of records.
type Queued interface {
	confirm.Store
	// View returns the view of a lock with this name whose clients have created records with these keys: a queue of records,
	// as the store's recipes have it, of which the first has the lock; nil if they are none.
	View(name string, keys []string) model.Ownership
}

// Preparing are [confirm.Servers] that are notified when the clients of a run are ready: clients may have made tables.
type Preparing interface{ Prepared() error }

// Login is a [confirm.Store] whose clients give a user, a password and the name of a database.
type Login interface {
	Login() (user, password, database string)
}

// row are the columns of a lock that is a row of a table.
type row struct {
	Owner string `json:"owner"`
	Until string `json:"until"`
}

// Shares returns the shares of the rows whose name contains the lock's name: each belongs to the owner that it names
// until its end, a time by the server's clock. Without a column for the owner, or with an empty one, the row has none.
func (w row) Shares(records []model.Record) ([]model.Share, error) {
	return model.RecordOwnership(w.ofRecord).Shares(records)
}

func (w row) ofRecord(r model.Record) ([]model.Share, error) {
	_, name, _ := strings.Cut(r.Key, "/")
	if r.Value.Type != "row" || !strings.Contains(name, cell.LockName) {
		return nil, nil
	}
	owner, has := field(r.Value, w.Owner)
	if !has {
		return nil, nil // another table
	}
	if owner == "" || owner == "NULL" {
		return nil, nil
	}
	share := model.Share{Holder: owner, Count: 1}
	if w.Until == "" {
		return []model.Share{share}, nil
	}
	until, has := field(r.Value, w.Until)
	end, err := time.Parse(confirm.TimeLayout, until)
	switch {
	case !has:
		return nil, fmt.Errorf("the row %q has no column %q", r.Key, w.Until)
	case until == "NULL" || until == "infinity":
	case err != nil:
		return nil, fmt.Errorf("the column %q of the row %q is %q: want a time", w.Until, r.Key, until)
	default:
		share.Until = end.Sub(cell.Epoch)
	}
	return []model.Share{share}, nil
}

// field returns the value of a column, whose name may be in other letters.
func field(v model.Stored, column string) (value string, has bool) {
	for i := 0; i+1 < len(v.Items); i += 2 {
		if strings.EqualFold(v.Items[i], column) {
			return v.Items[i+1], true
		}
	}
	return "", false
}

// view returns how a run's records are read, nil if each key is a lock by itself.
func (t *Target) view(r *Ran) model.Ownership {
	if r.row != nil {
		return *r.row
	}
	q, is := t.Store.(Queued)
	if !is {
		return nil
	}
	var keys []string
	for i := range r.History.Observations {
		if o := &r.History.Observations[i]; o.Kind == model.RecordCreated && o.Authority != "" && !slices.Contains(keys, o.Key) {
			keys = append(keys, o.Key)
		}
	}
	return q.View(cell.LockName, keys)
}
