package real

import (
	"errors"
	"fmt"
	"path"

	"github.com/go-zookeeper/zk"

	"github.com/lockpick-dev/lockpick/confirm"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/zookeeper/simzk"
)

// root is where znodes begin, and own what is the server's.
const (
	root = "/"
	own  = "/zookeeper"
)

// Records are the znodes.
func (s *server) Records(string) (map[string]confirm.Record, error) { return znodes(s.admin) }

// znodes are those that a session sees.
func znodes(admin *zk.Conn) (map[string]confirm.Record, error) {
	records := map[string]confirm.Record{}
	if err := below(admin, root, records); err != nil {
		return nil, err
	}
	return records, nil
}

// below reads the znodes below one. One that is gone meanwhile has none.
func below(admin *zk.Conn, parent string, records map[string]confirm.Record) error {
	names, _, err := admin.Children(parent)
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the znodes below %s: %w", parent, err)
	}
	for _, name := range names {
		at := path.Join(parent, name)
		if at == own {
			continue
		}
		data, stat, err := admin.Get(at)
		if errors.Is(err, zk.ErrNoNode) {
			continue
		}
		if err != nil {
			return fmt.Errorf("the znode %s: %w", at, err)
		}
		r := confirm.Record{Value: model.Stored{Type: "string", Text: string(data)}, Revision: stat.Czxid}
		if stat.EphemeralOwner != 0 {
			r.Session = simzk.SessionName(stat.EphemeralOwner)
		}
		records[at] = r
		if stat.NumChildren > 0 {
			if err := below(admin, at, records); err != nil {
				return err
			}
		}
	}
	return nil
}
