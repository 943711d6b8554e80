package bugs

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestNoTokenTwice: a lost update is this bug if the tokens were in order, or there were none, and another one if a token was granted twice.
func TestNoTokenTwice(t *testing.T) {
	granted := func(tokens ...int64) *model.History {
		h := &model.History{}
		for i, token := range tokens {
			h.Operations = append(h.Operations, model.Operation{ID: i + 1, Kind: model.Acquire, Result: model.OK, Fenced: token > 0, Token: token})
		}
		return h
	}
	for _, c := range []struct {
		tokens []int64
		want   bool
	}{{[]int64{0, 0}, true}, {[]int64{1, 2, 3}, true}, {[]int64{1, 2, 2}, false}} {
		if got := noTokenTwice(granted(c.tokens...), nil); got != c.want {
			t.Errorf("tokens %v: %t, want %t", c.tokens, got, c.want)
		}
	}
}
