package real

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/model"
)

// stored is the value of a key, if there is one, as observations of simulated servers have it.
func stored(ctx context.Context, c *goredis.Client, key string) (v model.Stored, there bool, err error) {
	if v.Type, err = c.Type(ctx, key).Result(); err != nil {
		return v, false, err
	}
	switch v.Type {
	case "none":
		return v, false, nil
	case "string":
		v.Text, err = c.Get(ctx, key).Result()
	case "list":
		v.Items, err = c.LRange(ctx, key, 0, -1).Result()
	case "set":
		v.Items, err = c.SMembers(ctx, key).Result()
		slices.Sort(v.Items)
	case "hash":
		var fields map[string]string
		fields, err = c.HGetAll(ctx, key).Result()
		for name, value := range fields { // unordered: sorted below
			v.Items = append(v.Items, name, value)
		}
		v.Items = sortPairs(v.Items)
	case "zset":
		var members []goredis.Z
		members, err = c.ZRangeWithScores(ctx, key, 0, -1).Result()
		for _, m := range members {
			v.Items = append(v.Items, fmt.Sprint(m.Member), strconv.FormatFloat(m.Score, 'f', -1, 64))
		}
		v.Items = sortPairs(v.Items)
	default:
		return v, false, fmt.Errorf("it is a %s, which is not supported yet", v.Type)
	}
	if errors.Is(err, goredis.Nil) {
		return v, false, nil // it has just expired
	}
	empty := v.Type != "string" && len(v.Items) == 0
	return v, err == nil && !empty, err
}

// sortPairs sorts names, each followed by its value.
func sortPairs(items []string) []string {
	var pairs [][2]string
	for i := 0; i+1 < len(items); i += 2 {
		pairs = append(pairs, [2]string{items[i], items[i+1]})
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	items = items[:0]
	for _, p := range pairs {
		items = append(items, p[0], p[1])
	}
	return items
}
