package simpostgres

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
)

// Load executes statements on all nodes at once, to create tables and rows as if they had been there
// before the run. Rows are observed as created by nobody. It must be called before any client
// connects.
func (c *Cluster) Load(statements ...string) error {
	key := strings.Join(append([]string{c.options.Database, c.options.Role}, statements...), "\x00")
	fresh := !slices.ContainsFunc(c.Nodes(), func(n *Node) bool { return !n.data.IsNew() || n.meter != nil })
	if t, ok := templates.get(key); ok && fresh {
		for _, n := range c.Nodes() {
			n.restore(t, statements)
		}
		return nil
	}
	for _, text := range statements {
		for _, n := range c.Nodes() {
			if err := n.load(text); err != nil {
				return fmt.Errorf("simpostgres: %q: %w", text, err)
			}
		}
	}
	if t := c.Nodes()[0].data.Template(); t != nil && fresh {
		templates.put(key, t)
	}
	return nil
}

// templates are those of texts of definitions, for all clusters of the process: a schema is the same in each run.
var templates = kept[*storage.Template]{most: 64}

// restore makes the node's data what statements have made of another one's, and notes them as load does.
func (n *Node) restore(t *storage.Template, statements []string) {
	for _, text := range statements {
		list, _ := n.cluster.parse(text)
		for _, st := range list {
			n.serve(requestName(st), nil)
		}
	}
	n.data.Restore(t)
}

// load executes a text of statements for nobody.
func (n *Node) load(text string) error {
	s := newSession(n, nil)
	n.lastPID--
	s.statement = s.present()
	err := errors.New("a statement that waits")
	s.begin(func() { err = s.execute(text) }, func() {})
	if s.running() {
		s.drop()
	} else if err == nil && s.back.Txn() != nil {
		err = errors.New("a transaction that is not ended")
	}
	s.back.Close(nil)
	n.settle()
	if lacks := pgerror.Lacking(err); lacks != "" {
		return fmt.Errorf("the simulated PostgreSQL does not support %s", lacks)
	}
	return err
}
