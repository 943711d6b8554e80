package real

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// Records are the cluster's keys, as a majority has them, which a member asks. Without a majority nothing changes.
func (s *servers) Records(node string) (map[string]confirm.Record, error) {
	if state := s.now(); !state.CanLead(s.names, node) {
		at := slices.IndexFunc(s.names, func(m string) bool { return state.CanLead(s.names, m) })
		if at < 0 {
			s.mu.Lock()
			defer s.mu.Unlock()
			return maps.Clone(s.keys), nil
		}
		node = s.names[at]
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := s.nodes[node].admin.Get(ctx, "", clientv3.WithFromKey())
	if err != nil {
		return nil, fmt.Errorf("the keys of %s: %w", node, err)
	}
	records := map[string]confirm.Record{}
	for _, kv := range r.Kvs {
		record := confirm.Record{Value: model.Stored{Type: "string", Text: string(kv.Value)}, Revision: kv.CreateRevision}
		if kv.Lease != 0 {
			record.Session = leaseName(kv.Lease)
		}
		records[string(kv.Key)] = record
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = maps.Clone(records)
	return records, nil
}

// leaseName is the name of a lease: its number in hexadecimal digits, as in the keys of etcd's recipes.
func leaseName(id int64) string { return strconv.FormatInt(id, 16) }
