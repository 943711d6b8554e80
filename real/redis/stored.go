package redis

import (
	"context"
	"fmt"
	"slices"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
)

// all reads every key with its type, its end in milliseconds since 1970 (-1 if it has none), and its content.
const all = `local list = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local type, content = redis.call('TYPE', key).ok, {}
  if type == 'string' then content = {redis.call('GET', key)}
  elseif type == 'list' then content = redis.call('LRANGE', key, 0, -1)
  elseif type == 'set' then content = redis.call('SMEMBERS', key)
  elseif type == 'hash' then content = redis.call('HGETALL', key)
  elseif type == 'zset' then content = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  end
  list[#list + 1] = {key, type, redis.call('PEXPIRETIME', key), content}
end
return list`

// read reads a server's records, in the form that observations of simulated servers have.
func read(ctx context.Context, c *goredis.Client) (map[string]confirm.Record, error) {
	rows, err := c.Eval(ctx, all, nil).Slice()
	if err != nil {
		return nil, fmt.Errorf("its keys: %w", err)
	}
	records := map[string]confirm.Record{}
	for _, row := range rows {
		columns, ok := row.([]any)
		if !ok || len(columns) != 4 {
			return nil, fmt.Errorf("its keys: %v", row)
		}
		var r confirm.Record
		r.Value.Type, _ = columns[1].(string)
		if ends, _ := columns[2].(int64); ends >= 0 {
			r.Ends = time.UnixMilli(ends)
		}
		content, _ := columns[3].([]any)
		for _, item := range content {
			r.Value.Items = append(r.Value.Items, fmt.Sprint(item))
		}
		if err := arrange(&r.Value); err != nil {
			return nil, fmt.Errorf("the key %v: %w", columns[0], err)
		}
		records[fmt.Sprint(columns[0])] = r
	}
	return records, nil
}

// arrange sorts content whose order is not fixed.
func arrange(v *model.Stored) error {
	switch v.Type {
	case "string":
		if len(v.Items) == 1 {
			v.Text, v.Items = v.Items[0], nil
		}
	case "list":
	case "set":
		slices.Sort(v.Items)
	case "hash", "zset":
		v.Items = sortPairs(v.Items)
	default:
		return fmt.Errorf("it is a %s, which is not supported yet", v.Type)
	}
	return nil
}

// sortPairs sorts names, each followed by its value.
func sortPairs(items []string) (sorted []string) {
	var pairs [][]string
	for p := range slices.Chunk(items, 2) {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, slices.Compare)
	for _, p := range pairs {
		sorted = append(sorted, p...)
	}
	return sorted
}
